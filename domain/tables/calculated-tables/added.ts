import { changesBetween, tableStatistics } from '../../../data/lake/ledger.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { Increment } from '../../../packages/sql-guard/index.ts';
import type { CurrentDefinitions } from '../definition-analyses/analyses.ts';
import { type BuildRecord, builtOf } from '../derived-relations/definitions.ts';
import type { AddedRows } from '../query/build/contract.ts';
import type { PlannedRead } from './build-plan.ts';
import type { BuildDeps } from './deps.ts';
import { readsThrough, type Surroundings } from './freshness.ts';

/** What a build may do shorter than making everything anew. */
export interface ShorterWay {
  increment: Increment | null;
  added: AddedRows | undefined;
}

/**
 * How the definition's result follows from added rows, and what was added since the last build if nothing
 * else happened: every view that is read must itself follow row by row, and the table that changed be read
 * once.
 */
export async function shorterWay(
  { lake, objects }: Pick<BuildDeps, 'lake' | 'objects'>,
  current: CurrentDefinitions,
  planned: PlannedRead,
): Promise<ShorterWay> {
  const { definition, around } = planned;
  const { id } = definition;
  const views = readsThrough(around, id).views;
  const isFollowed = views.every((view) => incrementIn(current, view)?.kind === 'rows');
  const increment = isFollowed ? incrementIn(current, id) : null;
  const isCurrent = current.defined.get(id)?.revision === definition.revision;
  if (increment === null || !isCurrent) return { increment: null, added: undefined };
  const before = builtOf(definition);
  if (before === undefined || before.revision !== definition.revision || !sameViews(before, planned))
    return { increment, added: undefined };
  if (increment.kind === 'groups' && !isWorthKeeping(before.rowCount, planned.rowsRead))
    return { increment: null, added: undefined };
  const { schema } = await lake.catalog.get(definition.organization_id);
  const added = await rowsAdded({ lake, schema }, before, planned);
  const isKept = await areThere(objects, before.groupFiles);
  return { increment, added: isKept ? added : undefined };
}

/** Whether groups are so many fewer than the rows that merging them saves something. */
export const isWorthKeeping = (groups: number, rowsRead: number): boolean =>
  groups <= Math.max(10_000, rowsRead / 2);

function incrementIn({ analyzed }: CurrentDefinitions, id: string): Increment | null {
  const found = analyzed.get(id);
  return found === undefined || 'failure' in found ? null : (found.increment ?? null);
}

const sameViews = (before: BuildRecord, { views }: PlannedRead): boolean =>
  Object.keys(views).length === Object.keys(before.views).length &&
  Object.entries(views).every(([id, revision]) => before.views[id] === revision);

/** More than this share of what was there is read faster with the rest. */
const largestShare = 0.5;

async function rowsAdded(
  { lake: { catalogPool }, schema }: Pick<BuildDeps, 'lake'> & { schema: string },
  before: BuildRecord,
  { definition, around, read, names }: PlannedRead,
): Promise<AddedRows | undefined> {
  const moved = Object.keys(read).filter((id) => read[id] !== before.read[id]);
  const [tableId] = moved;
  if (tableId === undefined || moved.length > 1) return undefined;
  const [from, to] = [before.read[tableId], read[tableId]!];
  const tableName = names.get(tableId);
  if (from === undefined || tableName === undefined || ways(around, definition.id, tableId) !== 1)
    return undefined;
  const statistics = await tableStatistics(catalogPool, schema, [definition.id, tableId]);
  if (statistics.get(definition.id)?.version !== before.version) return undefined;
  const changes = await changesBetween(catalogPool, schema, tableId, { from, to });
  const isAppended = changes.rowsRemoved === 0 && changes.operations.every((each) => each === 'append');
  const isSmall = changes.rowsAdded <= (statistics.get(tableId)?.rowCount ?? 0) * largestShare;
  if (!isAppended || !isSmall) return undefined;
  const groupFiles = before.groupFiles;
  return { tableName, after: from, rows: changes.rowsAdded, shape: before.shape, groupFiles };
}

/** In how many ways a definition reads a table, itself or through views. */
function ways(around: Surroundings, id: string, tableId: string): number {
  const known = new Map<string, number>();
  const of = (each: string): number => {
    if (each === tableId) return 1;
    if (each !== id && around.defined.get(each)?.kind !== 'view') return 0;
    const found = known.get(each);
    if (found !== undefined) return found;
    const sum = around.graph.reads(each).reduce((total, next) => total + of(next), 0);
    known.set(each, sum);
    return sum;
  };
  return of(id);
}

/** What is kept for groups is removed by the lake's maintenance when it was not used for a week. */
async function areThere(objects: ObjectStore, urls: readonly string[]): Promise<boolean> {
  const heads = await Promise.all(urls.map((url) => objects.head(keyOf(objects, url))));
  return heads.every((head) => head !== undefined);
}

const keyOf = ({ settings }: ObjectStore, url: string): string =>
  url.slice(`s3://${settings.bucket}/`.length);
