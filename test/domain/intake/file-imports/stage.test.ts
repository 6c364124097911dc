import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identifier } from '../../../../data/lake/sql.ts';
import { stage } from '../../../../domain/intake/file-imports/stage.ts';
import { duckDbType } from '../../../../domain/tables/tables/columns.ts';
import { openTestLake } from '../../tables/query/lab.ts';
import { type ImportLab, mapping, openImportLab } from './lab.ts';

let lab: ImportLab;
beforeAll(async () => {
  lab = await openImportLab();
});
afterAll(() => lab.close());

const noProgress = (): void => undefined;
const running = (): AbortSignal => new AbortController().signal;

test('the files can be registered in the lake with every type, and read by another engine', async () => {
  const types = [
    'STRING',
    'INTEGER',
    'DECIMAL(12,3)',
    'DECIMAL',
    'DOUBLE',
    'BOOLEAN',
    'DATE',
    'TIMESTAMP',
    'TIME',
    'JSON',
  ];
  const values = [
    'x',
    '9007199254740993',
    '1.25',
    '0.0000000001',
    '0.5',
    'true',
    '2024-01-31',
    '2024-01-31 10:00:00',
    '10:00:01.5',
    '{"a":[1]}',
  ];
  const names = types.map((_, index) => `c${index}`);
  const source = await lab.upload(
    `${names.join('|')}\n${values.join('|')}\n${values.map(() => '').join('|')}\n`,
  );
  const columnMappings = types.map((type, index) => mapping(names[index]!, type));
  const lake = await openTestLake();
  try {
    const target = { prefixUrl: `${lake.location.dataPath}main/imp_1/`, quarantine: false };
    const options = { columnMappings, includeLoadDate: true };
    const { table } = await stage(lab.deps, source, options, target, noProgress, running());
    const columns = table.columns.map(({ name, dataType }) => `${identifier(name)} ${duckDbType(dataType)}`);
    await lake.runAsWriter(`CREATE TABLE lake.main.t (${columns.join(', ')})`);
    for (const { url } of table.files)
      await lake.runAsWriter(`CALL ducklake_add_data_files('lake', 't', '${url}')`);
    const rows = await lake.readAsWriter(
      'SELECT * EXCLUDE (_load_date), _load_date IS NULL FROM lake.main.t',
    );
    expect(rows).toEqual([
      [
        'x',
        '9007199254740993',
        '1.250',
        '0.0000000001',
        0.5,
        true,
        '2024-01-31',
        '2024-01-31 10:00:00',
        '10:00:01.5',
        '{"a":[1]}',
        false,
      ],
      [...values.map(() => null), false],
    ]);
  } finally {
    await lake.close();
  }
});

test('leftovers of a try that crashed are gone before the next one writes', async () => {
  const prefixUrl = `${lab.prefixUrl}crashed/`;
  const key = `${prefixUrl.split('/').slice(3).join('/')}old.parquet`;
  await lab.deps.objects.put(key, Buffer.from('half a file'), 'application/octet-stream');
  const source = await lab.upload('a,b\n1,2\n');
  const staged = await stage(
    lab.deps,
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
  await stage(
    lab.deps,
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
  const work = stage(
    lab.deps,
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
