import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseExactJson } from '../../../../data/exact-json.ts';
import type { LakeColumn } from '../../../../data/lake/columns.ts';
import { type PageRules, readPage } from '../../../../data/lake/pages/page.ts';
import { createPageReader, type PageReader, type PageSource } from '../../../../data/lake/pages/read.ts';
import type { Row } from '../../../../data/lake/rows/plan.ts';

const rules: PageRules = { onBadRecord: 'refuse', onNewField: 'refuse', keys: [], repeats: false };
const columns: LakeColumn[] = [
  { name: 's_id', dataType: 'INTEGER', nullable: false, typing: 'declared' },
  { name: 'text', dataType: 'STRING', nullable: true, typing: 'declared' },
];

let folder: string;
let reader: PageReader;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'workspace-pages-'));
  reader = createPageReader();
});
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

const bodyOf = (count: number, text: string) =>
  JSON.stringify({ records: Array.from({ length: count }, (_, s_id) => ({ s_id, text })) });

/** A source that tells whether its records were asked for in full generality. */
function sourceOf(body: string): PageSource & { wasGeneral(): boolean } {
  let wasGeneral = false;
  const records = () => {
    wasGeneral = true;
    return (parseExactJson(body) as { records: Row[] }).records;
  };
  return {
    body: { whole: { bytes: Buffer.from(body), members: ['note'] }, records },
    columns,
    rules,
    wasGeneral: () => wasGeneral,
  };
}

async function read(name: string, body: string) {
  const path = join(folder, name);
  const source = sourceOf(body);
  const page = await reader.read(path, source);
  const { feed, ...expected } = readPage(columns, source.body.records(), rules);
  expect(page).toEqual({ ...expected, feedBytes: feed.length });
  return { page, path, feed: Buffer.from(feed).toString() };
}

test.each([
  ['a small page, here', 3],
  ['a large page, in a thread', 5_000],
])('%s, is read as the general reading would, and its feed is in the file', async (_, count) => {
  const text = 'some text that is not short at all';
  const source = sourceOf(bodyOf(count, text));
  await reader.read(join(folder, 'quick'), source);
  expect(source.wasGeneral()).toBe(false);
  const { path, feed } = await read(`of ${count}`, bodyOf(count, text));
  expect(readFileSync(path, 'utf8')).toBe(feed);
});

test('pages that are read at the same time do not touch each other', async () => {
  const bodies = Array.from({ length: 12 }, (_, index) =>
    bodyOf(3_000, `text of the page ${index}`.repeat(3)),
  );
  const pages = await Promise.all(bodies.map((body, index) => read(`at once ${index}`, body)));
  expect(pages.map(({ path }) => readFileSync(path, 'utf8'))).toEqual(pages.map(({ feed }) => feed));
});

test.each([
  ['a member that is not known', 4_000, { more: 1 }],
  ['an escape in a member', 4_000, { 'no\te': 1 }],
])('%s is left to the general reading', async (_, count, members) => {
  const body = JSON.stringify({ ...members, ...(JSON.parse(bodyOf(count, 'x'.repeat(40))) as object) });
  const source = sourceOf(body);
  await reader.read(join(folder, 'general'), source);
  expect(source.wasGeneral()).toBe(true);
});

test('bytes that are no UTF-8 are left to the general reading, whatever the size', async () => {
  const source = sourceOf(bodyOf(4_000, 'x'.repeat(40)));
  source.body.whole!.bytes[100] = 0xff;
  await reader.read(join(folder, 'not utf8'), source);
  expect(source.wasGeneral()).toBe(true);
});

test('a page without records has no feed', async () => {
  const { path, page } = await read('empty', '{"records":[]}');
  expect(page.records).toBe(0);
  expect(existsSync(path)).toBe(false);
});
