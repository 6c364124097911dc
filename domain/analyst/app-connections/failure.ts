import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { OutgoingError } from '../../../data/outgoing/errors.ts';
import { errorChain, isNetworkError } from '../models/error-chain.ts';
import type { Redaction } from './redaction.ts';

export type FailureStage =
  | 'resolve'
  | 'address_refused'
  | 'connect'
  | 'tls'
  | 'login'
  | 'permission'
  | 'request';

/** Why a server could not be used, for people: nothing secret is in it. */
export class AppFailure extends Error {
  override readonly name = 'AppFailure';
  readonly stage: FailureStage;

  constructor(stage: FailureStage, message: string, options?: ErrorOptions) {
    super(message, options);
    this.stage = stage;
  }
}

const maxSaidCharacters = 300;
const tlsCodes = ['CERT_', 'ERR_TLS', 'ERR_SSL', 'UNABLE_TO_', 'DEPTH_ZERO', 'SELF_SIGNED', 'EPROTO'];

/** Classifies whatever a session with a server throws. What the server said is told of its protocol's errors alone. */
export function appFailure(error: unknown, redaction: Redaction): AppFailure {
  const chain = errorChain(error);
  const known = chain.find((link) => link instanceof AppFailure);
  if (known !== undefined) return known;
  const options = { cause: error };
  const outgoing = chain.find((link) => link instanceof OutgoingError);
  if (outgoing !== undefined) return new AppFailure(stageOf(outgoing), outgoing.message, options);
  const status = chain.map(statusOf).find((found) => found !== undefined);
  if (status !== undefined) return ofStatus(status, options);
  const codes = chain.map((link) => String(Reflect.get(Object(link), 'code') ?? ''));
  if (codes.some((code) => tlsCodes.some((start) => code.startsWith(start))))
    return new AppFailure('tls', 'A secure connection to the server cannot be made.', options);
  if (chain.some(isNetworkError))
    return new AppFailure('connect', 'The server cannot be reached, or ended the connection.', options);
  const protocol = chain.find((link) => link instanceof ProtocolError);
  if (protocol !== undefined)
    return new AppFailure('request', `The server refused the request: ${said(protocol, redaction)}`, options);
  return new AppFailure('request', ofSdk(chain), options);
}

function stageOf({ reason }: OutgoingError): FailureStage {
  return reason === 'resolve' || reason === 'address_refused' ? reason : 'request';
}

function ofStatus(status: number, options: ErrorOptions): AppFailure {
  if (status === 401)
    return new AppFailure('login', 'The server answered 401: it does not accept the secrets.', options);
  if (status === 403)
    return new AppFailure('permission', 'The server answered 403: the secrets do not allow this.', options);
  if (status >= 300 && status < 400) {
    const message = `The server answered ${status}: it redirects to another address, which is not followed.`;
    return new AppFailure('request', message, options);
  }
  return new AppFailure('request', `The server answered ${status}.`, options);
}

/** What a server said in an error of its protocol, in one line. */
export function said({ message }: ProtocolError, redaction: Redaction): string {
  const line = redaction.text(message).replace(/\s+/g, ' ').trim().toWellFormed().replaceAll('\0', '');
  return line.length > maxSaidCharacters ? `${line.slice(0, maxSaidCharacters)} …`.toWellFormed() : line;
}

function ofSdk(chain: readonly unknown[]): string {
  const codes = chain.flatMap((link) => (link instanceof SdkError ? [link.code] : []));
  if (codes.includes(SdkErrorCode.RequestTimeout)) return 'The server did not answer in time.';
  if (codes.includes(SdkErrorCode.ClientHttpUnexpectedContent))
    return 'The server answered with something else than JSON or an event stream: is this the address of an MCP server?';
  if (
    codes.includes(SdkErrorCode.UnsupportedResultType) ||
    codes.includes(SdkErrorCode.InputRequiredRoundsExceeded)
  )
    return 'The server asked for an input of its own, which this service does not give.';
  return "The server's answer cannot be read as one of the Model Context Protocol.";
}

function statusOf(link: unknown): number | undefined {
  if (link instanceof Error && link.name === 'UnauthorizedError') return 401;
  const status = link instanceof SdkError ? Reflect.get(Object(link.data), 'status') : undefined;
  return typeof status === 'number' && (status < 200 || status > 299) ? status : undefined;
}
