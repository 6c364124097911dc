import type { Workspace } from './workspace.ts';

export interface PageAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  location: string | undefined;
}

/** Follows pages and posts their forms as a browser without scripts does: cookies, hidden fields. */
export function browserOf(workspace: Workspace, headers: Record<string, string> = {}) {
  const cookies = new Map<string, string>();
  let fields: [string, string][] = [];

  async function visit(
    method: 'GET' | 'POST',
    url: string,
    form?: Record<string, string>,
  ): Promise<PageAnswer> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await workspace.call(method, url, {
      headers: { ...headers, ...(cookie === '' ? {} : { cookie }) },
      ...(form === undefined
        ? {}
        : {
            raw: {
              text: new URLSearchParams(form).toString(),
              contentType: 'application/x-www-form-urlencoded',
            },
          }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, decodeURIComponent(value!));
    }
    fields = [...answer.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
      ([, name, value]) => [name!, unescaped(value!)],
    );
    const location = answer.headers['location'] as string | undefined;
    return { status: answer.status, headers: answer.headers, text: answer.text, location };
  }

  return {
    cookies,
    open: (url: string) => visit('GET', url),
    /** Posts a form of the page that is open, with its hidden fields. */
    post: (url: string, form: Record<string, string> = {}) =>
      visit('POST', url, { ...Object.fromEntries(fields), ...form }),
    /** Posts these fields alone. */
    forge: (url: string, form: Record<string, string>) => visit('POST', url, form),
  };
}

/** What a browser reads where a page has an escaped character. */
function unescaped(text: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name]!);
}

export type Browser = ReturnType<typeof browserOf>;
