import { errorChain, isNetworkError } from '../../../data/outgoing/error-chain.ts';
import { OutgoingError } from '../../../data/outgoing/errors.ts';
import {
  errorCode,
  type FailureStage,
  isTlsError,
  outgoingFailure,
  quoted,
  RemoteFailure,
} from '../../../data/outgoing/failure.ts';
import type { Redaction } from '../../../data/outgoing/redaction.ts';

/**
 * A failure of this service during work with a source. Its cause is reported instead of a failure of the
 * source.
 */
export class InternalFailure extends Error {
  override readonly name = 'InternalFailure';

  constructor(cause: unknown) {
    super('The service failed, not the source.', { cause });
  }
}

/** Marks failures of the service's own work within work with a source. */
export async function ours<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new InternalFailure(error);
  }
}

/** Maps an error of one kind of source, by its code or message, to the stage that failed. */
export type StageOf = (code: string, error: Error) => FailureStage | undefined;

/**
 * Classifies any error that a source throws. Its message is shown on one line, without the secrets that were
 * sent to the source.
 */
export function sourceFailure(
  error: unknown,
  { redaction, stageOf }: { redaction: Redaction; stageOf: StageOf },
): RemoteFailure {
  const chain = errorChain(error);
  const known = chain.find((link) => link instanceof RemoteFailure);
  if (known !== undefined) return known;
  const outgoing = chain.find((link) => link instanceof OutgoingError);
  if (outgoing !== undefined) return outgoingFailure(outgoing);
  const errors = chain.filter((link) => link instanceof Error);
  for (const link of errors) {
    const stage = stageOf(errorCode(link), link);
    if (stage !== undefined) return new RemoteFailure(stage, ofStage(stage, quoted(link, redaction)));
  }
  if (errors.some(isTlsError))
    return new RemoteFailure(
      'tls',
      `The service couldn't make a secure connection to the source: ${quoted(errors.at(-1)!, redaction)}`,
    );
  const network = errors.find(isNetworkError);
  if (network !== undefined) {
    const code = errorCode(network) === '' ? '' : ` (${errorCode(network)})`;
    return new RemoteFailure(
      'connect',
      `The service couldn't reach the source, or the source closed the connection${code}.`,
    );
  }
  return new RemoteFailure(
    'request',
    `The source failed: ${quoted(errors[0] ?? new Error('no answer'), redaction)}`,
  );
}

function ofStage(stage: FailureStage, words: string): string {
  switch (stage) {
    case 'login':
      return `The source rejected the login: ${words}`;
    case 'permission':
      return `The source doesn't permit this: ${words}`;
    case 'tls':
      return `The service couldn't make a secure connection to the source: ${words}`;
    case 'connect':
      return `The service couldn't reach the source, or the source closed the connection: ${words}`;
    default:
      return `The source refused the request: ${words}`;
  }
}
