import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector, Response as UndiciResponse, fetch as undiciFetch } from 'undici';
import { type AllowedNetwork, isAllowedAddress } from './allowed-addresses.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';
import { OutgoingError } from './errors.ts';

const resolveTimeoutMs = 5_000;
const connectTimeoutMs = 10_000;
/** Maximum silence between two chunks of an answer; the total time is limited by the caller. */
const silenceTimeoutMs = 120_000;
const idleTimeoutMs = 4_000;
const maxHeaderBytes = 32_768;
const defaultAnswerBytes = 1_048_576;

export interface OutgoingInit extends Omit<RequestInit, 'redirect'> {
  /** How much of the answer is read; 1 MiB by default. */
  budget?: ByteBudget;
}

/** Requests to addresses chosen by users. */
export interface Outgoing {
  /**
   * `fetch` that connects only to allowed addresses and cuts off an answer that exceeds its budget. Redirects
   * are returned, not followed, so that the caller fetches again and each hop is checked.
   */
  fetch(url: string | URL, init?: OutgoingInit): Promise<Response>;
  /**
   * The addresses of a host that may be connected to. Code that connects without `fetch` uses one of these
   * and does not resolve the name again.
   *
   * @throws OutgoingError where there is no such host, or none of its addresses may be reached
   */
  checkAddress(host: string, port: number): Promise<LookupAddress[]>;
  close(): Promise<void>;
}

type Lookup = (host: string) => Promise<LookupAddress[]>;

export interface OutgoingOptions {
  /** Private networks that may be reached; `any` disables the check. */
  allowedPrivate: readonly AllowedNetwork[] | 'any';
  lookup?: Lookup;
}

const systemLookup: Lookup = (host) => dns.lookup(host, { all: true, order: 'verbatim' });

export function createOutgoing({ allowedPrivate, lookup = systemLookup }: OutgoingOptions): Outgoing {
  async function checkAddress(host: string, port: number): Promise<LookupAddress[]> {
    const found = isIP(host) === 0 ? await resolve(lookup, host) : [{ address: host, family: isIP(host) }];
    const open = found.filter(
      ({ address }) => allowedPrivate === 'any' || isAllowedAddress(address, port, allowedPrivate),
    );
    if (open.length > 0) return open;
    throw new OutgoingError(
      'address_refused',
      `${host} isn't at a public address. An operator can allow private addresses with ALLOWED_PRIVATE_ADDRESSES.`,
    );
  }

  const agent = new Agent({
    connect: (options, callback) => {
      const { hostname, protocol, port } = options;
      const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
      checkAddress(host, Number(port) || (protocol === 'https:' ? 443 : 80)).then(
        (addresses) => connectTo(addresses)(options, callback),
        (error: Error) => callback(error, null),
      );
    },
    headersTimeout: silenceTimeoutMs,
    bodyTimeout: silenceTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveMaxTimeout: idleTimeoutMs,
    maxHeaderSize: maxHeaderBytes,
  });

  return {
    checkAddress,
    async fetch(url, { budget = createByteBudget(defaultAnswerBytes), ...init } = {}) {
      const fault = urlFault(String(url));
      if (fault !== undefined) throw new OutgoingError('url', fault);
      const response = await undiciFetch(url, { ...(init as object), redirect: 'manual', dispatcher: agent });
      return within(response, budget);
    },
    close: () => agent.destroy(),
  };
}

/**
 * Connects to the checked addresses; the name is not resolved a second time, because it could then give
 * another address.
 */
function connectTo(addresses: LookupAddress[]): buildConnector.connector {
  return buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    autoSelectFamily: true,
    lookup: (_host, { all }, callback) => {
      if (all === true) callback(null, addresses);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    },
  });
}

async function resolve(lookup: Lookup, host: string): Promise<LookupAddress[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error("The host name couldn't be resolved in time.")),
      resolveTimeoutMs,
    );
  });
  try {
    return await Promise.race([lookup(host), late]);
  } catch (cause) {
    throw new OutgoingError('resolve', `The host name ${host} couldn't be resolved.`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

const bodiless: readonly number[] = [204, 205, 304];

/** Counts the body as it is read, after decompression: a small body may expand to a very large one. */
function within(response: UndiciResponse, budget: ByteBudget): Response {
  const { status, statusText, headers, body } = response;
  const counted = body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        budget.take(chunk.byteLength);
        controller.enqueue(chunk);
      },
    }),
  );
  const answer = new UndiciResponse(bodiless.includes(status) ? null : (counted ?? null), {
    status,
    statusText,
    headers,
  });
  // Both are fetch's own Response; Node's types refer to its built-in undici, which has another version.
  return answer as unknown as Response;
}

/** Why a URL in a request's body cannot be fetched; undefined if its text shows no fault. */
export function urlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'It must be a URL.';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'The URL must begin with https:// or http://.';
  if (url.username !== '' || url.password !== '')
    return "The URL can't contain credentials. Send them as secrets instead.";
  return undefined;
}
