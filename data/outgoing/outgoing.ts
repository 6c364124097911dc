import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { Agent, buildConnector, Response as UndiciResponse, fetch as undiciFetch } from 'undici';
import { type AllowedNetwork, isAllowedAddress } from './allowed-addresses.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';
import { OutgoingError } from './errors.ts';

const resolveTimeoutMs = 5_000;
const connectTimeoutMs = 10_000;
/** Between two pieces of an answer; whoever waits for the whole of it has a limit of its own. */
const silenceTimeoutMs = 120_000;
const idleTimeoutMs = 4_000;
const maxHeaderBytes = 32_768;
const defaultAnswerBytes = 1_048_576;

export interface OutgoingInit extends Omit<RequestInit, 'redirect'> {
  /** How much of the answer is read; 1 MiB where left out. */
  budget?: ByteBudget;
}

/** Requests to addresses that callers name. */
export interface Outgoing {
  /**
   * `fetch`, over connections that go only where they may, with answers that are cut off while they are read.
   * A redirect is answered as it is: whoever follows it fetches anew, so that each hop is checked.
   */
  fetch(url: string | URL, init?: OutgoingInit): Promise<Response>;
  /**
   * Where a connection to a host may go. What connects otherwise than by `fetch` connects to one of these and
   * does not resolve the name again.
   *
   * @throws OutgoingError where there is no such host, or none of its addresses may be reached
   */
  checkAddress(host: string, port: number): Promise<LookupAddress[]>;
  close(): Promise<void>;
}

type Lookup = (host: string) => Promise<LookupAddress[]>;

export interface OutgoingOptions {
  /** Private networks that may be reached; `any` checks nothing. */
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
      `${host} is not at a public address. An operator may open private ones with ALLOWED_PRIVATE_ADDRESSES.`,
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
 * Connects to what was checked: the name is not resolved a second time, when it could have another address.
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
    timer = setTimeout(() => reject(new Error('The name was not resolved in time.')), resolveTimeoutMs);
  });
  try {
    return await Promise.race([lookup(host), late]);
  } catch (cause) {
    throw new OutgoingError('resolve', `The name ${host} cannot be resolved.`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

const bodiless: readonly number[] = [204, 205, 304];

/**
 * The answer with its body counted as it is read, after it is decompressed: a little may become very much.
 */
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
  // Both are fetch's own Response; the types of Node name those of the undici within it, which is of another
  // version.
  return answer as unknown as Response;
}

/** Why an address in a request's body cannot be fetched; undefined where it can, as far as its text tells. */
export function urlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'It is no URL.';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'The URL begins with https:// or http://.';
  if (url.username !== '' || url.password !== '')
    return 'The URL holds credentials: give them as secrets instead.';
  return undefined;
}
