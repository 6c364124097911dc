import { AppError, ValidationError } from '../../../data/errors.ts';
import { unrestricted } from '../../../data/postgres/acting.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type {
  Analysis,
  Analyzed,
  ColumnedRelation,
  DefinitionText,
} from '../../../packages/sql-guard/index.ts';
import {
  analysisOf,
  type Defined,
  keepAnalysis,
  listDefined,
  lockDefinitions,
  replaceReads,
  type StoredAnalysis,
} from '../derived-relations/definitions.ts';
import { circle, inOrder, loadGraph, reachable } from '../derived-relations/graph.ts';
import { visibleToDefiners } from '../query/relations.ts';
import { type PhysicalTable, physicalTables } from '../tables/columns.ts';
import type { NamedRelation } from '../tables/registry.ts';
import type { DefinitionDeps } from './deps.ts';
import { followPendingRenames } from './renames.ts';
import { shadowType } from './shadow-type.ts';

/** Of one definition, however many others it reads. */
const timeoutMs = 20_000;

/** What is known about definitions now, by id: those asked for, and all that they read. */
export interface CurrentDefinitions {
  defined: Map<string, Defined>;
  analyzed: Map<string, Analyzed>;
  /** The tables that they name, and those asked for besides, by lower-case name. */
  physical: Map<string, PhysicalTable>;
}

/**
 * The definitions as they are now, whatever changed in what they read since they were last looked at: what
 * the engine said is kept with the columns for which it said so, and asked again when those are others. So
 * nothing has to remember that a view broke, or that it works again.
 */
export async function currentDefinitions(
  deps: DefinitionDeps,
  organizationId: string,
  ids: readonly string[],
  /** Names of further tables whose columns to return. */
  also: readonly string[] = [],
): Promise<CurrentDefinitions> {
  await followPendingRenames(deps, organizationId);
  const lake = await deps.lake.catalog.get(organizationId);
  const found = await findDefined(deps, organizationId, ids);
  const names = new Set([...also, ...[...found.named.values()].flat().map(({ name }) => name)]);
  const physical = await physicalTables(deps.lake.catalogPool, lake.schema, [...names]);
  const current: CurrentDefinitions = { defined: found.defined, analyzed: new Map(), physical };
  for (const batch of batches(found.order, (id) => found.named.get(id)!.map((relation) => relation.id))) {
    const missing: { one: Defined; text: DefinitionText }[] = [];
    for (const id of batch) {
      const one = found.defined.get(id)!;
      const relations = columned(current, found.named.get(id)!);
      const stored = analysisOf(one);
      if (stored !== undefined && sameRelations(stored.relations, relations))
        current.analyzed.set(id, stored.analyzed);
      else missing.push({ one, text: { query: one.query, relations, isBuilt: one.kind === 'calc' } });
    }
    if (missing.length === 0) continue;
    const answers = await deps.queries.perform(
      { kind: 'analyze', location: lake.reader, definitions: missing.map(({ text }) => text) },
      { timeoutMs: timeoutMs + missing.length * 1_000 },
    );
    for (const [index, { one, text }] of missing.entries()) {
      const analyzed = answers[index]!;
      current.analyzed.set(one.id, analyzed);
      const stored: StoredAnalysis = { relations: [...text.relations], analyzed };
      await inOrganization(deps.db, organizationId, (db) =>
        unrestricted(db, () => keepAnalysis(db, one, stored)),
      );
    }
  }
  return current;
}

/** Definitions with all that they read, what each names, and an order: each comes after what it reads. */
async function findDefined(deps: DefinitionDeps, organizationId: string, ids: readonly string[]) {
  const defined = new Map<string, Defined>();
  const named = new Map<string, NamedRelation[]>();
  if (ids.length === 0) return { defined, named, order: [] };
  return inOrganization(deps.db, organizationId, async (db) => {
    const graph = await loadGraph(db, organizationId);
    const all = [...new Set([...ids, ...reachable(ids, graph.reads)])];
    // What a definition says does not depend on who looks: also what the caller may not see is part of it.
    const rows = await unrestricted(db, () => listDefined(db, organizationId, { ids: all }));
    for (const row of rows) defined.set(row.id, row);
    const visible = visibleToDefiners(db, organizationId);
    for (const [definerId, theirs] of Map.groupBy(rows, ({ defined_by }) => defined_by)) {
      const { namedIn } = await visible(definerId);
      for (const { id, query } of theirs) named.set(id, namedIn(query));
    }
    return { defined, named, order: inOrder([...defined.keys()], graph.reads) };
  });
}

/** The relations with the columns that they have now; a view that is broken has none. */
function columned(current: CurrentDefinitions, named: readonly NamedRelation[]): ColumnedRelation[] {
  return named.flatMap(({ id, name, kind, isUnbuilt }): ColumnedRelation[] => {
    const columns =
      kind === 'view' || isUnbuilt
        ? analysisColumns(current.analyzed.get(id))
        : current.physical.get(name.toLowerCase())?.columns;
    return columns === undefined
      ? []
      : [{ id, name, columns: columns.map((own) => ({ name: own.name, type: shadowType(own.dataType) })) }];
  });
}

function analysisColumns(analyzed: Analyzed | undefined): Analysis['columns'] | undefined {
  return analyzed === undefined || 'failure' in analyzed ? undefined : analyzed.columns;
}

/** Groups so that each definition comes after those that it may read. */
function* batches(order: readonly string[], named: (id: string) => readonly string[]): Generator<string[]> {
  const wanted = new Set(order);
  const depth = new Map<string, number>();
  for (const id of order) {
    const below = named(id).filter((each) => each !== id && wanted.has(each));
    depth.set(id, Math.max(-1, ...below.map((each) => depth.get(each) ?? -1)) + 1);
  }
  const deepest = Math.max(-1, ...depth.values());
  for (let level = 0; level <= deepest; level += 1) yield order.filter((id) => depth.get(id) === level);
}

/** Positions do not matter, only what a statement can see. */
function sameRelations(before: readonly ColumnedRelation[], now: readonly ColumnedRelation[]): boolean {
  return (
    before.length === now.length &&
    now.every(({ id, name, columns }, at) => {
      const known = before[at]!;
      return id === known.id && name === known.name && sameColumns(known.columns, columns);
    })
  );
}

function sameColumns(before: ColumnedRelation['columns'], now: ColumnedRelation['columns']): boolean {
  return (
    before.length === now.length &&
    now.every(({ name, type }, at) => name === before[at]!.name && type === before[at]!.type)
  );
}

/** A definition that was checked, and may be written. */
export interface CheckedDefinition {
  query: string;
  analysis: Analysis;
  stored: StoredAnalysis;
}

export interface DefinitionToCheck {
  organizationId: string;
  definerId: string;
  query: string;
  kind: 'view' | 'calc';
}

/**
 * Checks the query of a new or changed definition with the rights of who defines it. `loc` is where the
 * request has it.
 *
 * @throws ValidationError at `loc` with what is wrong with the query
 */
export async function checkDefinition(
  deps: DefinitionDeps,
  { organizationId, definerId, query, kind }: DefinitionToCheck,
  loc: (string | number)[] = ['body', 'query'],
): Promise<CheckedDefinition> {
  const named = await inOrganization(deps.db, organizationId, async (db) =>
    (await visibleToDefiners(db, organizationId)(definerId)).namedIn(query),
  );
  const shaped = named.filter(({ kind, isUnbuilt }) => kind === 'view' || isUnbuilt);
  const current = await currentDefinitions(
    deps,
    organizationId,
    shaped.map(({ id }) => id),
    named.map(({ name }) => name),
  );
  const relations = columned(current, named);
  const lake = await deps.lake.catalog.get(organizationId);
  const [analyzed] = await deps.queries.perform(
    { kind: 'analyze', location: lake.reader, definitions: [{ query, relations, isBuilt: kind === 'calc' }] },
    { timeoutMs },
  );
  if (analyzed === undefined) throw new AppError('internal_error', 'The query could not be checked.');
  if ('failure' in analyzed)
    throw new ValidationError([{ loc, msg: analyzed.failure.message, type: 'value_error' }]);
  return { query, analysis: analyzed, stored: { relations, analyzed } };
}

/**
 * Writes what a checked definition reads, in the transaction that writes the definition; refuses a circle,
 * with its path, and what was deleted meanwhile.
 */
export async function writeReads(
  db: OrganizationTransaction,
  organizationId: string,
  { id, name }: { id: string; name: string },
  { analysis }: CheckedDefinition,
  loc: (string | number)[] = ['body', 'query'],
): Promise<void> {
  await lockDefinitions(db, organizationId);
  const graph = await loadGraph(db, organizationId);
  const path = circle(graph, id, analysis.reads);
  if (path !== undefined) {
    const rows = await db
      .selectFrom('tables')
      .select(['id', 'name'])
      .where('organization_id', '=', organizationId)
      .where('id', 'in', path)
      .execute();
    const names = new Map([...rows.map((row) => [row.id, row.name] as const), [id, name] as const]);
    const shown = path.map((each) => names.get(each) ?? each).join(' → ');
    throw new ValidationError([{ loc, msg: `The query reads itself: ${shown}.`, type: 'value_error' }]);
  }
  const there = await db
    .selectFrom('tables')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ['', ...analysis.reads])
    .where('status', '=', 'ready')
    .forShare()
    .execute();
  const gone = analysis.reads.find((each) => !there.some((row) => row.id === each));
  if (gone !== undefined)
    throw new ValidationError([
      { loc, msg: 'A table in the query was deleted in the meantime.', type: 'value_error' },
    ]);
  await replaceReads(db, organizationId, id, analysis.reads);
}
