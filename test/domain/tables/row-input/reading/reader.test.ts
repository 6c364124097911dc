import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ValidationError } from '../../../../../data/errors.ts';
import { type PageRules, readPage } from '../../../../../domain/tables/row-input/page/page.ts';
import { scanPage } from '../../../../../domain/tables/row-input/reading/quick-page.ts';
import { type BodyReader, createBodyReader } from '../../../../../domain/tables/row-input/reading/reader.ts';
import { readSentList, type SentList } from '../../../../../domain/tables/row-input/reading/sent-list.ts';
import type { LakeColumn } from '../../../../../domain/tables/tables/columns.ts';

const rules: PageRules = { onBadRecord: 'refuse', onNewField: 'refuse', keys: [], repeats: false };
const columns: LakeColumn[] = [
  { name: 's_id', dataType: 'INTEGER', nullable: false, typing: 'declared' },
  { name: 'text', dataType: 'STRING', nullable: true, typing: 'declared' },
];

let folder: string;
let reader: BodyReader;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'workspace-lists-'));
  reader = createBodyReader();
});
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

const bodyOf = (count: number, text: string) =>
  JSON.stringify({ records: Array.from({ length: count }, (_, s_id) => ({ s_id, text })) });

function sent(body: string | Buffer, list: SentList['list'] = 'records', members = ['note']): SentList {
  return { bytes: Buffer.from(body), list, min: list === 'rows' ? 1 : 0, members };
}

async function read(name: string, body: string) {
  const path = join(folder, name);
  const page = await reader.read('org', 'page', { body: sent(body), path, columns, rules });
  const { feed, ...expected } = readPage(columns, readSentList(sent(body)), rules);
  expect(page).toEqual({ ...expected, feedBytes: feed.length });
  return { page, path, feed: Buffer.from(feed).toString() };
}

async function refusalOf(name: 'page' | 'rows', body: string | Buffer) {
  const list = name === 'rows' ? 'rows' : 'records';
  const input = { body: sent(body, list), path: join(folder, 'refused'), columns, rules, keys: [] };
  const error = await reader.read('org', name, input).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ValidationError);
  return (error as ValidationError).faults;
}

test.each([
  ['a small page, here', 3],
  ['a large page, in a thread', 5_000],
])('%s, is read as the general reading would, and its feed is in the file', async (_, count) => {
  const body = bodyOf(count, 'some text that is not short at all');
  expect(scanPage({ path: join(folder, 'quick'), ...sent(body), columns, rules })).toBeDefined();
  const { path, feed } = await read(`of ${count}`, body);
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
  ['here', 3],
  ['in a thread', 4_000],
])('a member that is not known is refused at its place, %s', async (_, count) => {
  const body = JSON.stringify({ more: 1, ...(JSON.parse(bodyOf(count, 'x'.repeat(40))) as object) });
  expect(await refusalOf('page', body)).toEqual([
    { loc: ['body', 'more'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
  ]);
});

test('bytes that are no UTF-8 are refused, whatever the size', async () => {
  const bytes = Buffer.from(bodyOf(4_000, 'x'.repeat(40)));
  bytes[100] = 0xff;
  expect(await refusalOf('page', bytes)).toMatchObject([{ loc: ['body'], type: 'json_invalid' }]);
});

test('a page without records has no feed', async () => {
  const { path, page } = await read('empty', '{"records":[]}');
  expect(page.records).toBe(0);
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['nothing', '', { loc: ['body'], type: 'missing' }],
  ['no object', '[]', { loc: ['body'], type: 'dict_type' }],
  ['no list', '{}', { loc: ['body', 'rows'], type: 'missing' }],
  ['another value', '{"rows":1}', { loc: ['body', 'rows'], type: 'list_type' }],
  ['an empty list', '{"rows":[]}', { loc: ['body', 'rows'], type: 'too_short' }],
  ['a row that is a number', '{"rows":[1e99]}', { loc: ['body', 'rows', 0], type: 'dict_type' }],
  ['too many', JSON.stringify({ rows: Array(5_001).fill({}) }), { loc: ['body', 'rows'], type: 'too_long' }],
])('%s is no list of rows, and told at its place', async (_, body, fault) => {
  expect(await refusalOf('rows', body)).toMatchObject([fault]);
});

test.each([
  ['a number of too many characters', `1.${'0'.repeat(1_000)}`],
  ['an exponent that is too large', '1e401'],
  ['an exponent that is too small', '-1e-999999999'],
  ['a value that is nested too deeply', '['.repeat(1_001) + ']'.repeat(1_001)],
])('%s is refused at its column, in a large body too', async (_, value) => {
  for (const padding of [1, 200_000]) {
    const body = `{"rows":[{"s_id":1},{"s_id":2,"pad":"${'x'.repeat(padding)}","text":${value}}]}`;
    const faults = await refusalOf('rows', body);
    expect(faults).toHaveLength(1);
    expect(faults[0]!.loc.slice(0, 4)).toEqual(['body', 'rows', 1, 'text']);
  }
});

test('what a large body of rows comes to lies in a file; a small one’s is kept', async () => {
  const rows = (count: number) =>
    JSON.stringify({ rows: Array.from({ length: count }, (_, s_id) => ({ s_id, text: 'y'.repeat(200) })) });
  const path = join(folder, 'planned');
  const plan = (count: number) =>
    reader.read('org', 'rows', { body: sent(rows(count), 'rows'), path, columns, keys: [] });
  const small = await plan(2);
  expect('text' in small && JSON.parse(small.text)).toHaveLength(2);
  const large = await plan(2_000);
  expect(large).toMatchObject({ path });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveLength(2_000);
  expect(large.rowIds.at(-1)).toBe(1_999n);
});

test('a large body that is no list is read in a thread, its numbers exact and its keys its own', async () => {
  const bounds = { depth: 64, members: 100, storableText: true };
  const text = `{"n":[1.00000000000000000001,2],"__proto__":{"m":12345678901234567890},"text":"${'x'.repeat(200_000)}"}`;
  const value = await reader.read('org', 'json', { body: { bytes: Buffer.from(text) }, bounds });
  expect(JSON.stringify(value)).toBe(text);
  const deep = Buffer.from(`{"a":[${' '.repeat(200_000)}1e401]}`);
  const refused = await reader.read('org', 'json', { body: { bytes: deep }, bounds }).catch((error) => error);
  expect(refused.faults).toMatchObject([{ loc: ['body', 'a', 0] }]);
});
