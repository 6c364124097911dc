import type { HttpAnswer } from '../../data-connections/sources/http-request.ts';

/** Pages that are asked for before it is their turn, of a source that takes several requests at once. */
export interface PagesAhead {
  /** Asks for those of these that are not asked for yet; others are not wanted any more. */
  ask(urls: readonly URL[]): void;
  /** The answer where it was asked for early; undefined also where nothing came of it. */
  take(url: URL): Promise<HttpAnswer | undefined>;
  /** Ends what is under way, and waits for it. */
  close(): Promise<void>;
}

export function createPagesAhead(
  request: (url: URL, signal: AbortSignal) => Promise<HttpAnswer | undefined>,
): PagesAhead {
  const over = new AbortController();
  const asked = new Map<string, Promise<HttpAnswer | undefined>>();
  const underWay = new Set<Promise<unknown>>();
  return {
    ask(urls) {
      const wanted = new Set(urls.map(({ href }) => href));
      for (const href of asked.keys()) if (!wanted.has(href)) asked.delete(href);
      for (const url of urls) {
        if (asked.has(url.href)) continue;
        // Whatever is in the way is met again when it is the page's turn.
        const answer = request(url, over.signal).catch(() => undefined);
        asked.set(url.href, answer);
        underWay.add(answer);
        answer.finally(() => underWay.delete(answer));
      }
    },
    async take({ href }) {
      const answer = asked.get(href);
      asked.delete(href);
      return answer;
    },
    async close() {
      over.abort();
      await Promise.all(underWay);
    },
  };
}
