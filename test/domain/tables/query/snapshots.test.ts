import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectEventually } from '../../../support/eventually.ts';
import { openTestQueries, outcomeOf, type TestQueries } from './support.ts';

const relations = [
  { name: 'events', id: 'tbl_events' },
  { name: 'Odd "name"', id: 'tbl_odd' },
  { name: 'later', id: 'tbl_later' },
  { name: 'totals', id: 'view_totals', definition: 'SELECT count(*) AS n FROM events' },
];

let queries: TestQueries;

beforeAll(async () => {
  queries = await openTestQueries(relations, { processes: 2 });
  await queries.lake.runAsWriter('CREATE TABLE lake.main.events (id BIGINT)');
  await queries.lake.runAsWriter('INSERT INTO lake.main.events VALUES (1)');
});

afterAll(() => queries?.close());

async function count(options: Parameters<TestQueries['run']>[1] = {}, from = 'events'): Promise<number> {
  const answer = await queries.run(`SELECT count(*) AS n FROM ${from}`, options);
  return JSON.parse(answer.rowsJson ?? '')[0].n;
}

describe('a statement reads', () => {
  it('what was committed before it began, also into a table made meanwhile', async () => {
    const before = await count();
    await queries.lake.runAsWriter('INSERT INTO lake.main.events VALUES (2)');
    expect(await count()).toBe(before + 1);
    await queries.lake.runAsWriter('CREATE TABLE lake.main.later AS SELECT 1 AS x');
    await queries.lake.runAsWriter('INSERT INTO lake.main.later VALUES (2)');
    expect(await count({}, 'later')).toBe(2);
    await queries.lake.runAsWriter('ALTER TABLE lake.main.later ADD COLUMN y VARCHAR');
    await queries.lake.runAsWriter(`INSERT INTO lake.main.later VALUES (3, 'new')`);
    const answer = await queries.run('SELECT y FROM later WHERE x = 3');
    expect(answer.rowsJson).toBe('[{"y":"new"}]');
  });

  it('one snapshot throughout, whose number it tells', async () => {
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) await queries.lake.runAsWriter('INSERT INTO lake.main.events VALUES (3)');
    })();
    for (let round = 0; round < 10; round += 1) {
      const answer = await queries.run(
        'SELECT (SELECT count(*) FROM events) AS a, (SELECT count(*) FROM events e WHERE e.id > 0) AS b',
      );
      const [row] = JSON.parse(answer.rowsJson ?? '');
      expect(row.a).toBe(row.b);
      const atVersions = new Map([['events', answer.snapshotId]]);
      expect(await count({ atVersions })).toBe(row.a);
    }
    isWriting = false;
    await writing;
  });

  it('names with any characters, in any case', async () => {
    await queries.lake.runAsWriter(`CREATE TABLE lake.main."Odd ""name""" AS SELECT 5 AS a`);
    const answer = await queries.run(`SELECT "ODD ""NAME""".a FROM "ODD ""NAME"""`);
    expect(answer).toMatchObject({ rowsJson: '[{"a":5}]', scannedRelationIds: ['tbl_odd'] });
    expect((await queries.run('SHOW TABLES')).rowsJson).toContain('Odd \\"name\\"');
  });

  it('what its names mean now, though the same text was checked before', async () => {
    const sql = 'SELECT n FROM changing';
    const view = (definition: string) => ({ id: 'view_changing', name: 'changing', definition });
    const run = (definition: string) => queries.run(sql, { relations: [...relations, view(definition)] });
    for (const n of [1, 2, 1]) {
      expect(await run(`SELECT ${n} AS n`)).toMatchObject({ rowsJson: `[{"n":${n}}]` });
    }
    const read = await run('SELECT count(*) AS n FROM events');
    expect(read.scannedRelationIds).toEqual(['view_changing', 'tbl_events']);
    expect((await outcomeOf(queries.run(sql))).code).toBe('query_failed');
  });

  it('a view with the tables under it', async () => {
    const answer = await queries.run('SELECT t.n, totals.n FROM totals t, totals');
    expect(answer.scannedRelationIds).toEqual(['view_totals', 'tbl_events']);
  });
});

describe('the past', () => {
  it('is read for the tables named, at their versions', async () => {
    const { snapshotId } = await queries.run('SELECT count(*) FROM events');
    const before = await count();
    await queries.lake.runAsWriter('INSERT INTO lake.main.events VALUES (10), (11)');
    const atVersions = new Map([['EVENTS', snapshotId]]);
    expect(await count({ atVersions })).toBe(before);
    expect(await count({ atVersions }, 'main.events e')).toBe(before);
    expect(await count({ atVersions }, 'events AS e(renamed) TABLESAMPLE 100%')).toBe(before);
    expect(await count()).toBe(before + 2);
    const both = await queries.run(`SELECT (SELECT count(*) FROM events) AS past, n AS viewed FROM totals`, {
      atVersions,
    });
    expect(JSON.parse(both.rowsJson ?? '')[0]).toEqual({ past: before, viewed: before });
    const view = await queries.run('FROM totals', { atVersions: new Map([['totals', snapshotId]]) });
    expect(view.rowsJson).toBe(`[{"n":${before}}]`);
    const described = await queries.run('DESCRIBE events', { atVersions });
    expect(described.rowCount).toBe(1);
  });

  it.each([0, 999_999])('is version_expired at %i', async (version) => {
    const outcome = await outcomeOf(count({ atVersions: new Map([['events', version]]) }));
    expect(outcome.code).toBe('version_expired');
  });

  it('is version_expired once it was expired', async () => {
    const { snapshotId } = await queries.run('SELECT count(*) FROM events');
    await queries.lake.runAsWriter('INSERT INTO lake.main.events VALUES (20)');
    await queries.lake.runAsWriter(`CALL ducklake_expire_snapshots('lake', versions => [${snapshotId}])`);
    const outcome = await outcomeOf(count({ atVersions: new Map([['events', snapshotId]]) }));
    expect(outcome.code).toBe('version_expired');
    expect(await count()).toBeGreaterThan(0);
  });
});

describe('a lost catalog connection', () => {
  it('heals on the next statement', async () => {
    await count();
    expect(await queries.lake.dropCatalogConnections()).toBeGreaterThan(0);
    expect(await count()).toBeGreaterThan(0);
  });

  it('in mid-statement is tried again', async () => {
    await count();
    const slow = queries.run('SELECT count(*) AS n FROM events, (SELECT sum(range) FROM range(300000000)) s');
    await expectEventually(() => queries.lake.dropCatalogConnections()).toBeGreaterThan(0);
    expect((await slow).rowCount).toBe(1);
  });

  it.each(['SELECT count(*) AS n FROM events', 'FROM events'])(
    'at the end of %s is tried again: DuckLake may have treated what it could not read as nothing',
    async (sql) => {
      const { location } = queries.lake;
      const way = await openCuttableWay(location.catalog);
      const catalog = { ...location.catalog, host: '127.0.0.1', port: way.port };
      const read = () => queries.run(sql, { location: { ...location, catalog } });
      const { rowsJson } = await read();
      const lists = () => way.seen('ducklake_data_file');
      const before = lists();
      await read();
      const ofOne = lists() - before;
      way.cutAt('ROLLBACK');
      expect((await read()).rowsJson).toBe(rowsJson);
      expect(lists() - before).toBeGreaterThan(2 * ofOne);
      way.close();
    },
  );
});

/** A way to PostgreSQL that can be cut when the client sends a text. */
async function openCuttableWay({ host, port }: { host: string; port: number }) {
  const sent: string[] = [];
  let cut: string | undefined;
  const server = createServer((client) => {
    const database = connect(port, host);
    const end = () => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) socket.on('error', end).on('close', end);
    client.on('data', (data) => {
      const text = data.toString('latin1');
      sent.push(text);
      if (cut !== undefined && text.includes(cut)) {
        cut = undefined;
        end();
      } else database.write(data);
    });
    database.on('data', (data) => client.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen: (text: string) => sent.filter((one) => one.includes(text)).length,
    cutAt: (text: string) => {
      cut = text;
    },
    close: () => server.close(),
  };
}

describe('a broken view', () => {
  it('in itself or in a cycle is refused', async () => {
    const cycle = [
      { name: 'a', id: 'view_a', definition: 'SELECT * FROM b' },
      { name: 'b', id: 'view_b', definition: 'SELECT * FROM a' },
    ];
    const outcome = await outcomeOf(queries.run('SELECT * FROM a', { relations: cycle }));
    expect(outcome.code).toBe('query_failed');
  });
});
