import type { OutgoingError } from './errors.ts';
import type { Redaction } from './redaction.ts';

/** The stage at which communication with another system failed. */
export type FailureStage =
  | 'resolve'
  | 'address_refused'
  | 'connect'
  | 'tls'
  | 'login'
  | 'permission'
  | 'request';

/** Why another system could not be used. The message is for people and contains no secrets. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly stage: FailureStage;

  constructor(stage: FailureStage, message: string, options?: ErrorOptions) {
    super(message, options);
    this.stage = stage;
  }
}

export function outgoingFailure(error: OutgoingError): RemoteFailure {
  const { reason, message } = error;
  const stage = reason === 'resolve' || reason === 'address_refused' ? reason : 'request';
  return new RemoteFailure(stage, message, { cause: error });
}

const tlsCodes = ['CERT_', 'ERR_TLS', 'ERR_SSL', 'UNABLE_TO_', 'DEPTH_ZERO', 'SELF_SIGNED', 'EPROTO'];

export const isTlsError = (error: unknown): boolean =>
  tlsCodes.some((start) => errorCode(error).startsWith(start));

export const errorCode = (error: unknown): string => String(Reflect.get(Object(error), 'code') ?? '');

const maxQuotedCharacters = 300;

/** Another system's error message in one line, without the secrets it was sent. */
export function quoted({ message }: Error, redaction: Redaction): string {
  const line = redaction.text(message).replace(/\s+/g, ' ').trim().toWellFormed().replaceAll('\0', '');
  return line.length > maxQuotedCharacters ? `${line.slice(0, maxQuotedCharacters)} …`.toWellFormed() : line;
}
