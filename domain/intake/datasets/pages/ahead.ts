import type { HttpAnswer } from '../../data-connections/sources/http-request.ts';

/** Prefetched pages, for sources that accept several concurrent requests. */
export interface PagesAhead {
  /** Requests those of these pages that are not requested yet; drops all others. */
  ask(urls: readonly URL[]): void;
  /** The answer of a prefetched page; undefined if it was not prefetched or the request failed. */
  take(url: URL): Promise<HttpAnswer | undefined>;
  /** Aborts running requests and waits for them. */
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
        // Errors are ignored: the page is requested again when it is its turn.
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
