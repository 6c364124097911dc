import { domainToASCII } from 'node:url';
import parseAddresses from 'nodemailer/lib/addressparser';

/** The mail server configured by the operator. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS if the server offers it. */
  secure: boolean;
  login: { user: string; password: string } | undefined;
}

export interface Mailbox {
  name: string;
  address: string;
}

/**
 * @throws an error that says what is wrong with the address, and holds nothing of it: it may have a password.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const form = 'smtp://[user:password@]host[:port], or smtps:// for TLS from the start';
  if (!URL.canParse(text)) throw new Error(`It must have the form ${form}.`);
  const url = new URL(text);
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')
    throw new Error(`It must have the form ${form}.`);
  if (url.hostname === '') throw new Error(`The host is missing. The form is ${form}.`);
  if (url.search !== '' || url.hash !== '' || !['', '/'].includes(url.pathname))
    throw new Error(`Nothing can follow the host and port. The form is ${form}.`);
  const secure = url.protocol === 'smtps:';
  const [user, password] = [decode(url.username), decode(url.password)];
  if ((user === '') !== (password === '')) throw new Error('Set both a user and a password, or neither.');
  return {
    // The brackets of an IPv6 address belong to the URL only.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    login: user === '' ? undefined : { user, password },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('Write a % in the user or password as %25.');
  }
}

/** `Name <address>`, or the address alone. */
export function parseMailbox(text: string): Mailbox {
  const [mailbox, ...others] = parseAddresses(text);
  if (mailbox?.address === undefined || others.length > 0 || !isMailAddress(mailbox.address))
    throw new Error('It must be one address: reports@example.com, or Reports <reports@example.com>.');
  return { name: mailbox.name, address: asciiDomain(mailbox.address) };
}

/** The address with its domain in ASCII, as the mail system requires for other scripts. */
export function asciiDomain(address: string): string {
  const domainAt = address.lastIndexOf('@') + 1;
  return address.slice(0, domainAt) + domainToASCII(address.slice(domainAt));
}

/**
 * Whether a mail can be sent to this address: one mailbox, without characters that could end a line or begin
 * another address.
 */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at <= 0 || text.length > 320 || unsafeInAddress.test(text)) return false;
  return domainToASCII(text.slice(at + 1)) !== '';
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const unsafeInAddress = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029<>,;:"()[\]\\]/;
