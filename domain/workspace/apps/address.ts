import { ValidationError } from '../../../data/errors.ts';
import { isPublicAddress } from '../../../data/outgoing/allowed-addresses.ts';
import { OutgoingError } from '../../../data/outgoing/errors.ts';
import type { Outgoing } from '../../../data/outgoing/outgoing.ts';

/** The health path is one below the address of the app: several apps may share a host. */
export function healthAddress({ url, healthPath }: { url: string; healthPath: string }): string {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split('/');
  while (parts.length > 1 && parts.at(-1) === '') parts.pop();
  return `${origin}${parts.join('/')}${healthPath}`;
}

const httpFault =
  'Use https://. http:// is only allowed for addresses that the operator has opened with ALLOWED_PRIVATE_ADDRESSES.';

/**
 * A name that does not resolve yet is accepted over https: its app is not live until it answers.
 *
 * @throws ValidationError at `url` for an address that may not be reached
 */
export async function refuseUnreachable(
  outgoing: Pick<Outgoing, 'checkAddress'>,
  url: string,
): Promise<void> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const isHttp = protocol === 'http:';
  try {
    const found = await outgoing.checkAddress(host, Number(port) || (isHttp ? 80 : 443));
    if (isHttp && found.some(({ address }) => isPublicAddress(address))) throw atUrl(httpFault);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    if (isHttp || error.reason !== 'resolve') throw atUrl(error.message);
  }
}

const atUrl = (msg: string) => new ValidationError([{ loc: ['body', 'url'], type: 'value_error', msg }]);
