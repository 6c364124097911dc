import { OutgoingError } from '../../../data/outgoing/errors.ts';
import { AppFailure } from '../../analyst/app-connections/failure.ts';
import type { Redaction } from '../../analyst/app-connections/redaction.ts';
import { errorChain, isNetworkError } from '../../analyst/models/error-chain.ts';

export type FailureStage =
  | 'resolve'
  | 'address_refused'
  | 'connect'
  | 'tls'
  | 'login'
  | 'permission'
  | 'request';

/** Why a source could not be used, for people: nothing secret is in it. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly stage: FailureStage;

  constructor(stage: FailureStage, message: string) {
    super(message);
    this.stage = stage;
  }
}

/** What went wrong on this side while a source was worked with: it is told as its cause, and not as the source's. */
export class OwnFailure extends Error {
  override readonly name = 'OwnFailure';

  constructor(cause: unknown) {
    super('Not the source failed.', { cause });
  }
}

/** Work of this side among work with a source. */
export async function ours<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new OwnFailure(error);
  }
}

const maxSaidCharacters = 300;
const tlsCodes = ['CERT_', 'ERR_TLS', 'ERR_SSL', 'UNABLE_TO_', 'DEPTH_ZERO', 'SELF_SIGNED', 'EPROTO'];

/** What a kind of source says in its own words, by the codes of its errors. */
export type StageOf = (code: string, error: Error) => FailureStage | undefined;

/** Classifies whatever a source throws. Its own words are shown in one line, and without the secrets it was sent. */
export function sourceFailure(
  error: unknown,
  { redaction, stageOf }: { redaction: Redaction; stageOf: StageOf },
): SourceFailure {
  const chain = errorChain(error);
  const known = chain.find((link) => link instanceof SourceFailure || link instanceof AppFailure);
  if (known !== undefined) return new SourceFailure(known.stage, known.message);
  const outgoing = chain.find((link) => link instanceof OutgoingError);
  if (outgoing !== undefined) {
    const { reason } = outgoing;
    const stage = reason === 'resolve' || reason === 'address_refused' ? reason : 'request';
    return new SourceFailure(stage, outgoing.message);
  }
  const errors = chain.filter((link) => link instanceof Error);
  const codeOf = (link: Error) => String(Reflect.get(link, 'code') ?? '');
  for (const link of errors) {
    const stage = stageOf(codeOf(link), link);
    if (stage !== undefined) return new SourceFailure(stage, ofStage(stage, said(link, redaction)));
  }
  if (errors.some((link) => tlsCodes.some((start) => codeOf(link).startsWith(start))))
    return new SourceFailure('tls', `A secure connection cannot be made: ${said(errors.at(-1)!, redaction)}`);
  const network = errors.find(isNetworkError);
  if (network !== undefined) {
    const code = codeOf(network) === '' ? '' : ` (${codeOf(network)})`;
    return new SourceFailure('connect', `The source cannot be reached, or ended the connection${code}.`);
  }
  return new SourceFailure(
    'request',
    `The source failed: ${said(errors[0] ?? new Error('no answer'), redaction)}`,
  );
}

function ofStage(stage: FailureStage, words: string): string {
  switch (stage) {
    case 'login':
      return `The source does not accept the login: ${words}`;
    case 'permission':
      return `The source does not permit this: ${words}`;
    case 'tls':
      return `A secure connection cannot be made: ${words}`;
    case 'connect':
      return `The source cannot be reached, or ended the connection: ${words}`;
    default:
      return `The source refused the request: ${words}`;
  }
}

/** What a source said, in one line. */
export function said({ message }: Error, redaction: Redaction): string {
  const line = redaction.text(message).replace(/\s+/g, ' ').trim().toWellFormed().replaceAll('\0', '');
  return line.length > maxSaidCharacters ? `${line.slice(0, maxSaidCharacters)} …`.toWellFormed() : line;
}
