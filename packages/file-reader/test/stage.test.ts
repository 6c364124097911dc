import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Lab, mapping, openLab } from './lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const noProgress = (): void => undefined;
const running = (): AbortSignal => new AbortController().signal;

test('leftovers of a try that crashed are gone before the next one writes', async () => {
  const prefixUrl = `${lab.prefixUrl}crashed/`;
  await mkdir(prefixUrl);
  await writeFile(`${prefixUrl}old.parquet`, 'half a file');
  const source = await lab.upload('a,b\n1,2\n');
  const staged = await lab.reader.stage(
    source,
    { includeLoadDate: false },
    { prefixUrl, quarantine: true },
    noProgress,
    running(),
  );
  expect(await lab.list(prefixUrl)).toEqual(staged.table.files.map(({ url }) => url));
  expect(staged).toMatchObject({ quarantine: undefined, bytesRead: 8, table: { rows: 1 } });
});

test('only the last of several attempts within a try stays', async () => {
  const lines = Array.from({ length: 200_000 }, (_, index) => `${index},x`);
  const source = await lab.upload(`k,v\n${lines.join('\n')}\n7,again\n`);
  const columnMappings = [mapping('k', 'INTEGER', { unique: true }), mapping('v', 'STRING')];
  const { staged, prefixUrl, quarantined } = await lab.importFile(source, { columnMappings }, true);
  expect(quarantined).toEqual([['200002', 'k', '7,again', '"7" repeats line 9, and the column is unique']]);
  const urls = [...staged.table.files, ...(staged.quarantine?.files ?? [])].map(({ url }) => url);
  expect((await lab.list(prefixUrl)).sort()).toEqual(urls.sort());
});

test('a header alone makes an empty table', async () => {
  const { staged, prefixUrl } = await lab.importFile(await lab.upload('a,b\n'));
  expect(staged.table).toMatchObject({ rows: 0, files: [] });
  expect(await lab.list(prefixUrl)).toEqual([]);
});

test('progress grows to 1', async () => {
  const seen: number[] = [];
  const source = await lab.upload('a,b\n1,2\n');
  const target = { prefixUrl: `${lab.prefixUrl}progress/`, quarantine: false };
  await lab.reader.stage(
    source,
    { includeLoadDate: false },
    target,
    ({ fraction }) => seen.push(fraction),
    running(),
  );
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(seen.at(-1)).toBe(1);
});

test.each([
  ['while the engine writes', 'UTF_8', 250],
  ['while the file is transcoded', 'ISO_8859_1', 100],
])('an abort %s ends it at once and leaves nothing', async (_, charEncoding, afterMs) => {
  const source = await lab.upload(
    `a,b,c\n${'1234567,some text that takes room,2024-01-31\n'.repeat(1_500_000)}`,
  );
  const prefixUrl = `${lab.prefixUrl}aborted-${charEncoding}/`;
  const controller = new AbortController();
  const options = { includeLoadDate: false, csv: { charEncoding } };
  const work = lab.reader.stage(
    source,
    options,
    { prefixUrl, quarantine: false },
    noProgress,
    controller.signal,
  );
  const ended = work.then(
    () => 'succeeded',
    (error: unknown) => (error instanceof Error ? error.message : error),
  );
  await sleep(afterMs);
  const abortedAt = performance.now();
  controller.abort(new Error('stop it'));
  expect(await ended).toBe('stop it');
  expect(performance.now() - abortedAt).toBeLessThan(2_000);
  expect(await lab.list(prefixUrl)).toEqual([]);
});
