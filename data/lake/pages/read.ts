import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { LakeColumn } from '../columns.ts';
import type { Row } from '../rows/plan.ts';
import { type PageReading, type PageRules, readPage } from './page.ts';
import { type ScanTask, scanPage } from './scan-thread.ts';

/** A page's records as bytes of a whole body, or taken from one already. */
export interface PageBody {
  /** The whole body, where it may be read in one pass, and the members it may have beside `records`. */
  whole?: { bytes: Buffer; members: readonly string[] };
  /** The records in full generality; called where the quick reading gives up. */
  records(): readonly Row[];
}

/** A page as it was sent, and what it has to fit. */
export interface PageSource {
  body: PageBody;
  columns: readonly LakeColumn[];
  rules: PageRules;
}

export interface PageReader {
  /** Looks at a page whole and writes its feed to the file at `path`, if it has records that fit. */
  read(path: string, source: PageSource): Promise<PageReading>;
  close(): Promise<void>;
}

/** A smaller page is read sooner than a thread has heard of it. */
const threadedFromBytes = 131_072;
const threadCount = Math.max(1, Math.min(4, availableParallelism() - 1));

/**
 * Its threads start with the first large page and stay: one that dies is replaced, and takes only its own page with
 * it. Where none can be started, the process has nothing left to start it with and ends with Piscina's error.
 */
export function createPageReader(): PageReader {
  let threads: Piscina<ScanTask, PageReading | undefined> | undefined;
  function scan(task: ScanTask): Promise<PageReading | undefined> | PageReading | undefined {
    if (task.bytes.length < threadedFromBytes) return scanPage(task);
    threads ??= new Piscina({
      filename: new URL('./scan-thread.ts', import.meta.url).href,
      name: scanPage.name,
      minThreads: threadCount,
      maxThreads: threadCount,
    });
    return threads.run(task);
  }
  return {
    async read(path, { body, columns, rules }) {
      const quick = body.whole && (await scan({ path, ...body.whole, columns, rules }));
      if (quick !== undefined) return quick;
      const { feed, ...page } = readPage(columns, body.records(), rules);
      if (page.records > 0) await writeFile(path, feed);
      return { ...page, feedBytes: feed.length };
    },
    close: async () => threads?.close(),
  };
}
