import { AppError } from '../../../data/errors.ts';
import type { Selector } from './definitions.ts';
import type { Params, TestKind } from './kinds.ts';
import { matchNames } from './name-patterns.ts';

/** What a test is, before overlays change it. */
export interface TestSource {
  /** Null for one that is not saved. */
  id: string | null;
  name: string;
  kind: TestKind;
  params: Params;
  target: { tableId: string } | { selector: Selector };
  severity: Severity;
  blocking: boolean;
  enabled: boolean;
  keepRows: boolean;
  definedBy: string;
}

export type Severity = 'error' | 'warn';

/** What an overlay changes, and where. */
export interface OverlaySource {
  /** Null for one that is not saved, which counts as the newest. */
  id: string | null;
  definitionId: string;
  projectId: string | null;
  tableId: string | null;
  enabled: boolean | null;
  severity: Severity | null;
  blocking: boolean | null;
  params: Params | undefined;
  priority: number;
  /** Unix time in milliseconds. */
  createdAtMs: number;
}

/** What selects a table. */
export interface TestedTable {
  id: string;
  name: string;
  projectIds: readonly string[];
  modelingTier: string;
}

/** Where a field of a test comes from. */
export interface Provenance {
  /** `enabled`, `severity`, `blocking`, or a parameter as `params.min`. */
  field: string;
  source: 'definition' | 'overlay';
  id: string | null;
}

/** A test of a table as it runs. */
export interface EffectiveTest {
  tableId: string;
  definitionId: string | null;
  name: string;
  kind: TestKind;
  enabled: boolean;
  severity: Severity;
  blocking: boolean;
  keepRows: boolean;
  definedBy: string;
  params: Params;
  provenance: Provenance[];
}

export interface EffectiveSet {
  /** By table, then by definition, in their given order. */
  tests: EffectiveTest[];
  /** Definitions that select none of the tables. */
  unmatched: (string | null)[];
}

/**
 * The tests that tables have: each definition where it applies, field by field as the first overlay says that
 * sets it. An overlay of the table comes before one of its project, and that before one of the organization;
 * among equals the higher priority is first, then the newer. Parameters are fields of their own.
 */
export async function effectiveSet(
  tables: readonly TestedTable[],
  definitions: readonly TestSource[],
  overlays: readonly OverlaySource[],
): Promise<EffectiveSet> {
  const byDefinition = Map.groupBy(overlays.toSorted(firstToLast), ({ definitionId }) => definitionId);
  const byTable = new Map<TestedTable, EffectiveTest[]>(tables.map((table) => [table, []]));
  const byId = new Map(tables.map((table) => [table.id, table]));
  const unmatched: (string | null)[] = [];
  const patterns = definitions.flatMap(({ target }) =>
    'selector' in target ? (target.selector.namePattern ?? []) : [],
  );
  const matched = await matchNames(
    patterns,
    tables.map(({ name }) => name),
  );
  let total = 0;
  for (const definition of definitions) {
    const changing = (definition.id === null ? undefined : byDefinition.get(definition.id)) ?? [];
    const matching = matchingTables(definition, tables, byId, matched);
    if (matching.length === 0) unmatched.push(definition.id);
    total += matching.length;
    if (total > mostTests) throw tooMany();
    for (const table of matching) byTable.get(table)!.push(effectiveTest(table, definition, changing));
  }
  return { tests: [...byTable.values()].flat(), unmatched };
}

/** More are resolved for no request. */
const mostTests = 100_000;

const tooMany = () =>
  new AppError(
    'conflict',
    `These tables have more than ${mostTests.toLocaleString('en-US')} tests in total. Name fewer tables, or let the definitions select fewer.`,
  );

function matchingTables(
  { target }: TestSource,
  tables: readonly TestedTable[],
  byId: ReadonlyMap<string, TestedTable>,
  matched: ReadonlyMap<string, ReadonlySet<string>>,
): TestedTable[] {
  if ('tableId' in target) {
    const table = byId.get(target.tableId);
    return table === undefined ? [] : [table];
  }
  const { projectId, modelingTier, namePattern } = target.selector;
  const names = namePattern === undefined ? undefined : matched.get(namePattern);
  return tables.filter(
    (table) =>
      (projectId === undefined || table.projectIds.includes(projectId)) &&
      (modelingTier === undefined || table.modelingTier === modelingTier) &&
      (names === undefined || names.has(table.name)),
  );
}

function effectiveTest(
  table: TestedTable,
  definition: TestSource,
  changing: readonly OverlaySource[],
): EffectiveTest {
  const applying = changing.filter(
    ({ projectId, tableId }) =>
      (tableId === null || tableId === table.id) &&
      (projectId === null || table.projectIds.includes(projectId)),
  );
  const provenance: Provenance[] = [];
  const decide = <T>(field: string, own: T, changed: (overlay: OverlaySource) => T | null | undefined): T => {
    for (const overlay of applying) {
      const value = changed(overlay);
      if (value === null || value === undefined) continue;
      provenance.push({ field, source: 'overlay', id: overlay.id });
      return value;
    }
    provenance.push({ field, source: 'definition', id: definition.id });
    return own;
  };
  const enabled = decide('enabled', definition.enabled, (overlay) => overlay.enabled);
  const severity = decide('severity', definition.severity, (overlay) => overlay.severity);
  const blocking = decide('blocking', definition.blocking, (overlay) => overlay.blocking);
  const keys = new Set(Object.keys(definition.params));
  for (const overlay of applying) for (const key of Object.keys(overlay.params ?? {})) keys.add(key);
  const params = Object.fromEntries(
    [...keys].map((key) => [
      key,
      decide(`params.${key}`, definition.params[key]!, (overlay) => overlay.params?.[key]),
    ]),
  );
  const { id: definitionId, name, kind, keepRows, definedBy } = definition;
  return {
    ...{ tableId: table.id, definitionId, name, kind, enabled, severity, blocking },
    ...{ keepRows, definedBy, params, provenance },
  };
}

const reach = ({ tableId, projectId }: OverlaySource): number =>
  tableId !== null ? 0 : projectId !== null ? 1 : 2;

/** The order in which overlays are asked. */
function firstToLast(left: OverlaySource, right: OverlaySource): number {
  return (
    reach(left) - reach(right) ||
    right.priority - left.priority ||
    Number(right.id === null) - Number(left.id === null) ||
    right.createdAtMs - left.createdAtMs ||
    ((right.id ?? '') < (left.id ?? '') ? -1 : 1)
  );
}
