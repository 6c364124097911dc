import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { errorChain, isNetworkError } from '../../../data/outgoing/error-chain.ts';
import { OutgoingError } from '../../../data/outgoing/errors.ts';
import {
  errorCode,
  isTlsError,
  outgoingFailure,
  quoted,
  RemoteFailure,
} from '../../../data/outgoing/failure.ts';
import type { Redaction } from '../../../data/outgoing/redaction.ts';

/**
 * Classifies any error of a session with a server. The server's own text is included only for errors of its
 * protocol.
 */
export function appFailure(error: unknown, redaction: Redaction): RemoteFailure {
  const chain = errorChain(error);
  const known = chain.find((link) => link instanceof RemoteFailure);
  if (known !== undefined) return known;
  const options = { cause: error };
  const outgoing = chain.find((link) => link instanceof OutgoingError);
  if (outgoing !== undefined) return outgoingFailure(outgoing);
  const status = chain.map(statusOf).find((found) => found !== undefined);
  if (status !== undefined) return ofStatus(status, options);
  const insecure = chain.find(isTlsError);
  if (insecure !== undefined)
    return new RemoteFailure(
      'tls',
      `The service couldn't make a secure connection to the server${because(insecure)}.`,
      options,
    );
  const unreached = chain.map(sentenceOf).find((sentence) => sentence !== undefined);
  if (unreached !== undefined) return new RemoteFailure('connect', unreached, options);
  if (chain.some(isNetworkError)) {
    const coded = chain.find((link) => errorCode(link) !== '');
    const message = `The service couldn't reach the server, or the server closed the connection${because(coded)}.`;
    return new RemoteFailure('connect', message, options);
  }
  const protocol = chain.find((link) => link instanceof ProtocolError);
  if (protocol !== undefined)
    return new RemoteFailure(
      'request',
      `The server refused the request: ${quoted(protocol, redaction)}`,
      options,
    );
  return new RemoteFailure('request', ofSdk(chain), options);
}

/** By the code of a failed connection. */
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The server refused the connection. Nothing listens on that port.',
  ENOTFOUND: "The name of the server couldn't be resolved.",
  EAI_AGAIN: "The name of the server couldn't be resolved at the moment.",
  ETIMEDOUT: "The server didn't answer in time.",
  UND_ERR_CONNECT_TIMEOUT: "The server didn't answer in time.",
  UND_ERR_HEADERS_TIMEOUT: "The server didn't answer in time.",
  UND_ERR_BODY_TIMEOUT: "The server didn't answer in time.",
  EHOSTUNREACH: 'There is no network route to the server.',
  ENETUNREACH: 'There is no network route to the server.',
  ECONNRESET: 'The server closed the connection.',
};

const sentenceOf = (link: unknown): string | undefined => sentences[errorCode(link)];
const because = (link: unknown): string => (errorCode(link) === '' ? '' : ` (${errorCode(link)})`);

function ofStatus(status: number, options: ErrorOptions): RemoteFailure {
  if (status === 401)
    return new RemoteFailure('login', "The server answered 401. It doesn't accept the secrets.", options);
  if (status === 403)
    return new RemoteFailure('permission', "The server answered 403. The secrets don't allow this.", options);
  if (status >= 300 && status < 400) {
    const message = `The server answered ${status}, a redirect to another address. The service doesn't follow redirects.`;
    return new RemoteFailure('request', message, options);
  }
  return new RemoteFailure('request', `The server answered ${status}.`, options);
}

function ofSdk(chain: readonly unknown[]): string {
  const codes = chain.flatMap((link) => (link instanceof SdkError ? [link.code] : []));
  if (codes.includes(SdkErrorCode.RequestTimeout)) return "The server didn't answer in time.";
  if (codes.includes(SdkErrorCode.ClientHttpUnexpectedContent))
    return "The server's answer is neither JSON nor an event stream. Check that this is the address of an MCP server.";
  if (
    codes.includes(SdkErrorCode.UnsupportedResultType) ||
    codes.includes(SdkErrorCode.InputRequiredRoundsExceeded)
  )
    return "The server asked for further input, which this service doesn't support.";
  return "The server's answer isn't a valid message of the Model Context Protocol.";
}

function statusOf(link: unknown): number | undefined {
  if (link instanceof Error && link.name === 'UnauthorizedError') return 401;
  const status = link instanceof SdkError ? Reflect.get(Object(link.data), 'status') : undefined;
  return typeof status === 'number' && (status < 200 || status > 299) ? status : undefined;
}
