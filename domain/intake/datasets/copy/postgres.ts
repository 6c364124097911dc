import type pg from 'pg';
import { isReservedColumn } from '../../../../data/lake/ducklake/catalog.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { columnNames } from '../../../../packages/file-reader/index.ts';
import { withPostgres } from '../../data-connections/sources/postgres-session.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import type { Flow } from '../../data-connections/sources/watch.ts';
import { declaredColumn } from '../../file-imports/staged.ts';
import type { CopyProgress } from '../snapshot-runs.ts';
import type { Copied, CopyDeps, CopyRequest, WithEngine } from './copier.ts';
import { copyOut } from './copy-out.ts';
import { incrementCopied } from './increment.ts';
import { copyTimeoutMs } from './limits.ts';
import { incrementOf } from './postgres-increment.ts';
import { copiedColumn, type NumericFacts, numericFactsTerms, type PostgresColumn } from './postgres-types.ts';
import { createTextStage } from './text-stage.ts';
import { unreadableWarnings } from './unreadable.ts';

interface Relation {
  /** Quoted by PostgreSQL. */
  from: string;
  estimatedRows: number;
  columns: PostgresColumn[];
}

/**
 * Copies a table or view in one transaction with a consistent snapshot. Rows arrive as text by COPY, over the
 * connection to a checked address; the engine converts them. Thus nothing depends on the type mapping of the
 * engine's PostgreSQL scanner.
 */
export function copyPostgres(
  deps: CopyDeps,
  target: SourceTarget,
  withEngine: WithEngine,
  { resource, prefixUrl, increment, unreadable = 'fail', keys = [] }: Omit<CopyRequest, 'connection'>,
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<Copied> {
  return withPostgres(
    target,
    signal,
    // Logs in before taking an engine, so that an unreachable source occupies none. The transaction begins
    // once there is one.
    (client, { ended, watch }) =>
      withEngine(ended, async (connection) => {
        watch?.listen();
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        await client.query(
          "SET LOCAL DateStyle = 'ISO'; SET LOCAL TimeZone = 'UTC'; SET LOCAL bytea_output = 'hex'",
        );
        await client.query('SET LOCAL extra_float_digits = 1');
        const whole = await relationOf(client, resource);
        const part = increment === undefined ? undefined : await incrementOf(client, whole, increment);
        const relation = { ...whole, from: part?.from ?? whole.from };
        const facts = await numericFacts(client, relation);
        const columns = relation.columns.map((column) => copiedColumn(column, facts.get(column.name)));
        const names = columnNames(
          relation.columns.map(({ name }) => name),
          isReservedColumn,
        );
        const stage = await createTextStage({
          ...deps,
          prefixUrl,
          connection,
          columns: columns.map(({ dataType, value }, index) => ({ name: names[index]!, dataType, value })),
          unreadable,
          keys: relation.columns.flatMap(({ name }, index) => (keys.includes(name) ? [names[index]!] : [])),
        });
        try {
          const padding = columns.length === 1 ? ['1'] : [];
          const list = [...columns.map(({ source }) => source), ...padding].join(', ');
          let taken = 0;
          let flow: Flow | undefined;
          const rows = await copyOut(
            client,
            `COPY (SELECT ${list} FROM ${relation.from}) TO STDOUT (FORMAT text, ENCODING 'UTF8')`,
            (row, stream) => {
              watch?.row();
              flow ??= watch?.flow(stream) ?? stream;
              stage.take(row, flow);
              taken += 1;
              if (taken % 1_000 !== 0) return;
              const fraction = Math.min(0.95, taken / Math.max(relation.estimatedRows, taken + 1));
              progress({ fraction, rows: taken, bytes: stage.bytes });
            },
          );
          watch?.rest();
          const files = await stage.finish();
          progress({ fraction: 0.95, rows, bytes: stage.bytes });
          return {
            columns: relation.columns.map(({ nullable }, index) =>
              declaredColumn(names[index]!, columns[index]!.dataType, nullable || unreadable === 'null'),
            ),
            files,
            rows,
            bytes: stage.bytes,
            warnings: unreadableWarnings(stage.unreadable),
            ...incrementCopied(increment, part?.reached, relation.columns, names),
          };
        } finally {
          await stage.close();
        }
      }),
    { statementTimeoutMs: copyTimeoutMs, limits: deps.limits },
  );
}

/**
 * The relation by its quoted name, as listed by `resources`; domains are resolved to their base types, also
 * those of other domains.
 */
async function relationOf(client: pg.Client, resource: string): Promise<Relation> {
  const { rows } = await client.query<{ from: string; estimated: number; columns: PostgresColumn[] | null }>(
    `SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS from, greatest(c.reltuples, 0)::float8 AS estimated,
       (SELECT json_agg(json_build_object(
            'name', a.attname, 'nullable', NOT a.attnotnull, 'typtype', b.typtype,
            'type', format_type(b.oid, base.typmod), 'isArray', b.typcategory = 'A') ORDER BY a.attnum)
        FROM pg_attribute a CROSS JOIN LATERAL (
          WITH RECURSIVE steps (oid, typmod, depth) AS (
            SELECT a.atttypid, a.atttypmod, 0
            UNION ALL SELECT d.typbasetype, d.typtypmod, s.depth + 1
            FROM steps s JOIN pg_type d ON d.oid = s.oid AND d.typtype = 'd')
          SELECT oid, typmod FROM steps ORDER BY depth DESC LIMIT 1) base
        JOIN pg_type b ON b.oid = base.oid
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND quote_ident(n.nspname) || '.' || quote_ident(c.relname) = $1`,
    [resource],
  );
  const found = rows[0];
  if (found === undefined)
    throw new RemoteFailure(
      'request',
      `The source has no table or view ${resource} that the user of this connection can see.`,
    );
  if (found.columns === null)
    throw new RemoteFailure('request', `${resource} has no columns, so there is nothing to copy.`);
  return { from: found.from, estimatedRows: found.estimated, columns: found.columns };
}

/** Facts about all `numeric` columns, from one scan: whether a DECIMAL holds all their values. */
async function numericFacts(
  client: pg.Client,
  { from, columns }: Relation,
): Promise<Map<string, NumericFacts>> {
  const numeric = columns.filter(({ type, isArray }) => !isArray && type.startsWith('numeric'));
  if (numeric.length === 0) return new Map();
  const { rows } = await client.query<unknown[]>({
    text: `SELECT ${numeric.flatMap(numericFactsTerms).join(', ')} FROM ${from}`,
    rowMode: 'array',
  } as never);
  const values = rows[0] as unknown as (number | boolean)[];
  return new Map(
    numeric.map(({ name }, index) => [
      name,
      {
        whole: Number(values[index * 3]),
        scale: Number(values[index * 3 + 1]),
        hasSpecial: values[index * 3 + 2] === true,
      },
    ]),
  );
}
