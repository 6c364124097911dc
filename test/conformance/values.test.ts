import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileFormat } from '../../packages/file-reader/index.ts';
import { type ImportLab, mapping, openImportLab } from '../domain/intake/file-imports/lab.ts';
import { expectEventually } from '../support/eventually.ts';
import { useWorker } from '../support/worker.ts';
import { useWorkspace } from '../support/workspace.ts';
import { xlsxFile } from '../support/xlsx-file.ts';
import { documentCases, jsonCases, type TextCase, textCases } from './values.ts';

/** One value on its way into a column: as JSON and, if it is a text, as that. */
interface Sent {
  type: string;
  json: string;
  text?: string;
  stored: string | undefined;
}

const withJson = (given: TextCase): Sent => ({ ...given, json: JSON.stringify(given.text) });
const inFiles: Sent[] = [
  ...textCases.map(withJson),
  ...jsonCases.map(({ type, json, stored, file }) => ({
    type,
    json,
    stored: file === undefined ? stored : file.stored,
  })),
];
const inCells = textCases.map(withJson);
const inTexts = [...inCells, ...documentCases.map(withJson)];
const sent: Sent[] = [
  ...textCases.map(({ type, text, stored, sent: asSent }) => ({
    type,
    json: JSON.stringify(text),
    stored: asSent === undefined ? stored : asSent.stored,
  })),
  ...jsonCases.map(({ type, json, stored }) => ({ type, json, stored })),
];

const types = [...new Set([...inFiles, ...inTexts].map(({ type }) => type))];
const nameOf = (type: string): string => `c${types.indexOf(type)}`;
const columnList = types.map((type) => `CAST(${nameOf(type)} AS VARCHAR) AS ${nameOf(type)}`).join(', ');

/** The outcome of each case, one line each, easy to compare and to read. */
function described(cases: readonly Sent[], storedOf: (id: number) => string | undefined): string[] {
  return cases.map(({ type, json, text }, id) => `${type} ${text ?? json} → ${storedOf(id) ?? 'refused'}`);
}
const expected = (cases: readonly Sent[]): string[] => described(cases, (id) => cases[id]!.stored);

describe('files', () => {
  let lab: ImportLab;
  beforeAll(async () => {
    lab = await openImportLab();
  });
  afterAll(() => lab.close());

  /** A record of each case has its number and its value; those that do not fit are quarantined. */
  async function outcome(
    content: string | Buffer,
    format: FileFormat,
    cases: readonly Sent[],
  ): Promise<string[]> {
    const columnMappings = [
      mapping('id', 'INTEGER'),
      ...types.map((type) => mapping(nameOf(type), type, { required: false })),
    ];
    const csv = { columnSeparator: ',', quoteCharacter: '"', thousands: '', dateFormat: '' };
    const source = await lab.upload(content, format);
    const options = { columnMappings, ...(format === 'csv' ? { csv } : {}) };
    const { table } = await lab.importFile(source, options);
    const urls = table.files.map(({ url }) => `'${url}'`).join(', ');
    const rows = await lab.query(`SELECT id, ${columnList} FROM read_parquet([${urls}])`);
    const stored = new Map(
      rows.map(([id, ...cells]) => [
        Number(id),
        cells[types.indexOf(cases[Number(id)]!.type)] as string | null,
      ]),
    );
    return described(cases, (id) => stored.get(id) ?? undefined);
  }

  const header = ['id', ...types.map(nameOf)];
  const cellsOf = (given: Sent, id: number): (string | undefined)[] => [
    String(id),
    ...types.map((type) => (type === given.type ? given.text : undefined)),
  ];

  test('CSV', async () => {
    const quoted = (cell: string | undefined) =>
      cell === undefined ? '' : `"${cell.replaceAll('"', '""')}"`;
    const records = inTexts.map((given, id) => cellsOf(given, id).map(quoted).join(','));
    const file = `${[header.join(','), ...records].join('\n')}\n`;
    expect(await outcome(file, 'csv', inTexts)).toEqual(expected(inTexts));
  });

  test('XLSX', async () => {
    const escaped = (cell: string) => cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const cell = (text: string | undefined) =>
      text === undefined ? '<c/>' : `<c t="str"><v xml:space="preserve">${escaped(text)}</v></c>`;
    const rows = [header, ...inCells.map(cellsOf)].map((cells) => `<row>${cells.map(cell).join('')}</row>`);
    expect(await outcome(xlsxFile({ rows: rows.join('') }), 'xlsx', inCells)).toEqual(expected(inCells));
  });

  test('Parquet of strings', async () => {
    const literal = (cell: string | undefined) =>
      cell === undefined ? 'NULL' : `'${cell.replaceAll("'", "''")}'`;
    const values = inTexts.map((given, id) => `(${cellsOf(given, id).map(literal).join(', ')})`);
    const file = await lab.parquet(`FROM (VALUES ${values.join(', ')}) AS t(${header.join(', ')})`);
    expect(await outcome(file, 'parquet', inTexts)).toEqual(expected(inTexts));
  });

  test.each(['json', 'ndjson'] as const)('%s', async (format) => {
    const records = inFiles.map(({ type, json }, id) => `{"id":${id},"${nameOf(type)}":${json}}`);
    // So that every column exists, whatever the cases are.
    const file = format === 'json' ? `[${records.join(',\n')}]` : records.join('\n');
    expect(await outcome(file, format, inFiles)).toEqual(expected(inFiles));
  });
});

describe('what programs send', () => {
  const workspace = useWorkspace();
  useWorker(workspace);
  const raw = (text: string) => ({ raw: { text, contentType: 'application/json' } });
  const recordOf = ({ type, json }: Sent, id: number) => `{"s_id":${id},"${nameOf(type)}":${json}}`;

  async function newTable() {
    const client = await workspace.organization();
    const columns = types.map((type) => ({ name: nameOf(type), data_type: type, nullable: true }));
    const made = await client.call('POST', '/v1/grid/tables', {
      body: { name: 'sent', kind: 'data', columns },
    });
    expect(made.status, made.text).toBe(201);
    const stored = async () => {
      const body = { sql: `SELECT s_id, ${columnList} FROM sent`, row_format: 'rows', limit: 1_000 };
      const { rows } = (await client.call('POST', '/v1/query-executions', { body })).body.data;
      return new Map<number, string | null>(
        rows.map((row: Record<string, string>) => [row['sId'], row[nameOf(sent[Number(row['sId'])]!.type)]]),
      );
    };
    return { client, url: `/v1/tables/${made.body.data.tableId}`, stored };
  }

  test('rows', async () => {
    const { client, url, stored } = await newTable();
    const faults = new Map<number, string>();
    for (const [id, given] of sent.entries()) {
      if (given.stored !== undefined) continue;
      const answer = await client.call('POST', `${url}/rows`, raw(`{"rows":[${recordOf(given, id)}]}`));
      faults.set(id, String(answer.status));
    }
    expect([...faults.values()].filter((status) => status !== '422')).toEqual([]);
    const good = sent.flatMap((given, id) => (given.stored === undefined ? [] : [recordOf(given, id)]));
    const written = await client.call('POST', `${url}/rows`, raw(`{"rows":[${good.join(',')}]}`));
    expect(written.status, written.text).toBe(200);
    const rows = await stored();
    expect(described(sent, (id) => rows.get(id) ?? undefined)).toEqual(expected(sent));
  });

  test('pages: each value in a page of its own, so that the quick reading has it where it can', async () => {
    const { client, url, stored } = await newTable();
    const opened = await client.call('POST', `${url}/ingestion-batches`, {
      body: { mode: 'append', on_bad_record: 'quarantine' },
    });
    expect(opened.status, opened.text).toBe(201);
    const batch = `${url}/ingestion-batches/${opened.body.data.id}`;
    let pages = 0;
    for (const [id, given] of sent.entries()) {
      const page = raw(`{"records":[${recordOf(given, id)}]}`);
      const staged = await client.call('PUT', `${batch}/pages/${pages + 1}`, page);
      // Half of a surrogate pair is a fault of the body.
      expect([200, 422], staged.text).toContain(staged.status);
      if (staged.status === 200) pages += 1;
    }
    await client.call('POST', `${batch}/complete`, { body: { page_count: pages } });
    await expectEventually(async () => (await client.call('GET', batch)).body.data.status, {
      timeoutMs: 60_000,
    }).toBe('applied');
    const rows = await stored();
    expect(described(sent, (id) => rows.get(id) ?? undefined)).toEqual(expected(sent));
  });
});
