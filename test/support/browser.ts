import type { Workspace } from './workspace.ts';

export interface PageAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  location: string | undefined;
}

interface Sent {
  headers: Record<string, string>;
  /** The body of a form. */
  text: string | undefined;
}

type Method = 'GET' | 'POST';
type Form = Record<string, string>;

/** Cookies of one site. */
class Cookies extends Map<string, string> {
  readonly lax = new Set<string>();

  keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') this.delete(name!);
      else this.set(name!, decodeURIComponent(value!));
      if (/; *samesite=lax/i.test(line)) this.lax.add(name!);
    }
  }

  header(isFromElsewhere = false): { cookie?: string } {
    const sent = [...this].filter(([name]) => !isFromElsewhere || this.lax.has(name));
    return sent.length === 0 ? {} : { cookie: sent.map(([name, value]) => `${name}=${value}`).join('; ') };
  }
}

const contentType = 'application/x-www-form-urlencoded';

/**
 * Follows pages and posts their forms as a browser without scripts does: cookies, hidden fields. Addresses of
 * other sites go out to them.
 */
export function browserOf(workspace: Pick<Workspace, 'call'>, headers: Record<string, string> = {}) {
  const cookies = new Cookies();
  const elsewhere = new Map<string, Cookies>();
  let fields: [string, string][] = [];
  let action = '';

  async function visit(
    method: Method,
    url: string,
    form?: Form,
    isFromElsewhere = false,
  ): Promise<PageAnswer> {
    const target = new URL(url, 'http://localhost');
    const isOurs = target.hostname === 'localhost';
    const address = url.startsWith('http') ? `${target.pathname}${target.search}` : url;
    const jar = isOurs ? cookies : (elsewhere.get(target.origin) ?? new Cookies());
    if (!isOurs) elsewhere.set(target.origin, jar);
    const text = form && new URLSearchParams(form).toString();
    const sent = {
      headers: {
        ...headers,
        ...(isFromElsewhere ? { 'sec-fetch-site': 'cross-site' } : {}),
        ...jar.header(isFromElsewhere),
      },
      text,
    };
    const answer = isOurs
      ? await workspace.call(method, address, {
          headers: sent.headers,
          ...(text === undefined ? {} : { raw: { text, contentType } }),
        })
      : await send(method, target, sent);
    jar.keep([answer.headers['set-cookie'] ?? []].flat());
    action = unescaped(/<form [^>]*action="([^"]*)"/.exec(answer.text)?.[1] ?? '');
    fields = [...answer.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"\/?>/g)].map(
      ([, name, value]) => [name!, unescaped(value!)],
    );
    const location = answer.headers['location'] as string | undefined;
    return { status: answer.status, headers: answer.headers, text: answer.text, location };
  }

  const post = (url: string, form: Form = {}) =>
    visit('POST', url, { ...Object.fromEntries(fields), ...form });
  return {
    cookies,
    open: (url: string) => visit('GET', url),
    /** Follows a link or redirect of another site: strict cookies are not sent. */
    arrive: (url: string) => visit('GET', url, undefined, true),
    /** Posts a form of the page that is open, with its hidden fields. */
    post,
    /** Posts the form of the page that is open to where it says. */
    submit: (form: Form = {}) => post(action, form),
    /** Posts these fields alone. */
    forge: (url: string, form: Form) => visit('POST', url, form),
  };
}

async function send(method: Method, url: URL, { headers, text }: Sent) {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(text === undefined ? {} : { 'content-type': contentType }) },
    ...(text === undefined ? {} : { body: text }),
  });
  const { status, headers: answered } = response;
  const answerHeaders = { ...Object.fromEntries(answered), 'set-cookie': answered.getSetCookie() };
  return {
    status,
    headers: answerHeaders as Record<string, unknown> & typeof answerHeaders,
    text: await response.text(),
  };
}

/** What a browser reads where a page has an escaped character. */
function unescaped(text: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name]!);
}

/** Where a page sends the browser at once. */
export function refreshOf({ text }: PageAnswer): string | undefined {
  const found = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(text)?.[1];
  return found && unescaped(found);
}

export type Browser = ReturnType<typeof browserOf>;
