const mostLinks = 12;

/** An error and its causes, outermost first; of several attempts the last. */
export function errorChain(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let next = error;
  while (next !== undefined && next !== null && chain.length < mostLinks && !chain.includes(next)) {
    chain.push(next);
    if (typeof next !== 'object') break;
    // A provider's own error may be plain data in the member `error`.
    next = Reflect.get(next, 'lastError') ?? Reflect.get(next, 'cause') ?? plainError(next);
  }
  return chain;
}

function plainError(error: object): unknown {
  const inner: unknown = error instanceof Error ? undefined : Reflect.get(error, 'error');
  return typeof inner === 'object' ? inner : undefined;
}

/** The error's name; `provider error` for a provider's error that is plain data. */
export function nameOf(error: unknown): string {
  if (error instanceof Error || error instanceof DOMException) return error.name;
  if (typeof error !== 'object' || error === null) return typeof error === 'string' ? 'provider error' : '';
  return 'provider error';
}

const codes = [
  'ECONN',
  'ENOTFOUND',
  'EAI_',
  'EPIPE',
  'ETIMEDOUT',
  'EHOST',
  'ENET',
  'UND_ERR_',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_TLS',
  'ERR_SSL',
  'CERT_',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT',
  'UNABLE_TO_',
];
const messages = ['fetch failed', 'terminated', 'premature close', 'other side closed', 'socket hang up'];

/** Whether it is a network error, by its code or, without one, by its message. */
export function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string' && codes.some((start) => code.startsWith(start))) return true;
  return messages.includes(error.message.toLowerCase());
}
