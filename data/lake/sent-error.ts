import { AppError, type ErrorCode, ValidationError, type ValidationFault } from '../errors.ts';

/** An error serialised between processes and threads; keeps the classes that callers distinguish. */
export type SentError =
  | { kind: 'app'; code: ErrorCode; message: string; extensions: Record<string, unknown> }
  | { kind: 'validation'; faults: readonly ValidationFault[] }
  | { kind: 'other'; message: string };

export function toSent(error: unknown): SentError {
  if (error instanceof AppError) {
    const { code, message, extensions } = error;
    return { kind: 'app', code, message, extensions };
  }
  if (error instanceof ValidationError) return { kind: 'validation', faults: error.faults };
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) };
}

export function fromSent(sent: SentError): Error {
  switch (sent.kind) {
    case 'app':
      return new AppError(sent.code, sent.message, { extensions: sent.extensions });
    case 'validation':
      return new ValidationError(sent.faults);
    case 'other':
      return new Error(sent.message);
  }
}
