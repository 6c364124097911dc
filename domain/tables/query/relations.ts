import { restrictTo } from '../../../data/postgres/acting.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { foldName, mayName, wordsIn } from '../../../packages/sql-guard/index.ts';
import { principalFor } from '../../workspace/organizations/rights.ts';
import { listDefined } from '../derived-relations/definitions.ts';
import { listQueryable, type NamedRelation } from '../tables/registry.ts';
import { type NameList, namedIn } from './named.ts';
import { tablesAmong } from './relation-tables.ts';
import type { QueryRelation } from './request.ts';

export interface Visible {
  relations: NamedRelation[];
  /** Those that a text may name. */
  namedIn: (text: string) => NamedRelation[];
}

/** Which tables and views a definer may name, looked up once for each principal in a transaction. */
export function visibleToDefiners(db: OrganizationTransaction, organizationId: string) {
  const known = new Map<string, Promise<Visible>>();
  const list = async (principal: string | undefined) => {
    await restrictTo(db, principal);
    const relations = await listQueryable(db, organizationId);
    return { relations, namedIn: namedIn(relations) };
  };
  return async (definerId: string): Promise<Visible> => {
    const principal = await principalFor(db, organizationId, definerId);
    const found = known.get(principal ?? '') ?? list(principal);
    known.set(principal ?? '', found);
    return found;
  };
}

/**
 * The relations that these texts may name, with the SELECTs of the views among them, and all that those may
 * name in turn: a view reads with the rights of who defined it. The rest of the transaction
 * must not depend on its principal.
 */
export async function relationsFor(
  db: OrganizationTransaction,
  organizationId: string,
  named: readonly NamedRelation[],
  texts: readonly string[],
): Promise<QueryRelation[]> {
  const visible = visibleToDefiners(db, organizationId);
  const views = new Map<string, QueryRelation>();

  /** Views may name each other; each is resolved once, and referred to from wherever it is named. */
  async function resolve(
    relations: readonly NamedRelation[],
    words: ReadonlySet<string>,
  ): Promise<QueryRelation[]> {
    const wanted = relations.filter(
      ({ id, kind, name }) => kind === 'view' && !views.has(id) && mayName(words, name),
    );
    if (wanted.length > 0) await restrictTo(db, undefined);
    const defined = await listDefined(db, organizationId, { ids: wanted.map(({ id }) => id) });
    for (const { id, name, query } of defined) views.set(id, { id, name, definition: query });
    for (const { id, query, defined_by: definerId } of defined) {
      const within = (await visible(definerId)).namedIn(query);
      views.get(id)!.reads = await resolve(within, wordsIn(query));
    }
    return relations.flatMap((relation) => asRelation(relation, views.get(relation.id)));
  }

  const words = wordsIn(texts.join('\n'));
  const needsAll = needsAllNames(texts);
  const within = named.filter(({ name }) => needsAll || mayName(words, name));
  const relations = await resolve(within, words);
  const own = new Set(named.map(({ id }) => id));
  for (const relation of relations) {
    const isFurther = tablesAmong([relation]).some(({ id }) => !own.has(id));
    if (relation.definition !== undefined && isFurther) relation.readsFurther = true;
  }
  return relations;
}

/** The same if no view is among them, which takes no look into the database; else undefined. */
export function relationsWithoutViews(list: NameList, texts: readonly string[]): QueryRelation[] | undefined {
  const within = needsAllNames(texts) ? list.all : list.namedIn(texts.join('\n'));
  if (within.some(({ kind }) => kind === 'view')) return undefined;
  return within.flatMap((relation) => asRelation(relation, undefined));
}

/** SHOW TABLES lists them all, and EXPLAIN must know which of those behind views may be seen. */
const needsAllNames = (texts: readonly string[]): boolean =>
  texts.some((text) => /tables|explain/.test(foldName(text)));

/** A view that no text names is not needed, except in a list of names. */
function asRelation(
  { id, name, kind, isUnbuilt }: NamedRelation,
  view: QueryRelation | undefined,
): QueryRelation[] {
  if (kind === 'view')
    return [view ?? { id, name, refusal: `The view ${name} cannot be read at the moment.` }];
  if (!isUnbuilt) return [{ id, name }];
  const refusal = `The calculated table ${name} isn't built yet. Use POST /v1/grid/tables/${id}/materialize.`;
  return [{ id, name, refusal }];
}
