import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import { listQueryable } from '../tables/registry.ts';
import { type NameList, nameList } from './named.ts';
import { relationsFor, relationsWithoutViews } from './relations.ts';
import type { QueryRelation } from './request.ts';

/** Whose names, and the texts that use them. */
export interface NamesWanted {
  organizationId: string;
  /** Whose rights hold, all of them together. */
  actsFor: string | readonly string[];
  /** The ids that may be named; all by default. */
  within: ReadonlySet<string> | undefined;
  texts: readonly string[];
}

export interface Names {
  /** All that may be named. */
  list: NameList;
  /** Those that the texts may name, with what is behind views. */
  relations: QueryRelation[];
  /** At which they were read: they hold as long as the organization has it. */
  version: number;
}

/** Remembers the names of organizations for as long as nothing about them has changed. */
export interface RememberedNames {
  /** What is remembered, if anything is; whoever uses it must see that its version still is the newest. */
  recall(wanted: NamesWanted): Names | undefined;
  /** Reads them. */
  read(wanted: NamesWanted): Promise<Names>;
}

interface KnownNames {
  version: number;
  /** An API client may expire without any change. */
  untilMs: number;
  lists: Map<string, NameList>;
  /** Relations of texts that name views. */
  relations: Map<string, QueryRelation[]>;
}

const mostOrganizations = 500;
const mostCallers = 20;
const mostTexts = 200;
const mostTextCharacters = 20_000;
/** Names that are kept of one caller. */
const mostNames = 20_000;

export function rememberNames(db: Database): RememberedNames {
  /** Least recently used first. */
  const known = new Map<string, KnownNames>();

  function keep(wanted: NamesWanted, read: Names & { untilMs: number }): void {
    const { organizationId } = wanted;
    const before = known.get(organizationId);
    const isNewer = before === undefined || read.version > before.version;
    if (!isNewer && read.version < before.version) return;
    const names: KnownNames = isNewer
      ? { version: read.version, untilMs: read.untilMs, lists: new Map(), relations: new Map() }
      : before;
    known.delete(organizationId);
    known.set(organizationId, names);
    names.untilMs = Math.min(names.untilMs, read.untilMs);
    if (read.list.all.length <= mostNames) put(names.lists, callerOf(wanted), read.list, mostCallers);
    const key = keyOf(wanted);
    if (key.length <= mostTextCharacters) put(names.relations, key, read.relations, mostTexts);
    if (known.size > mostOrganizations) known.delete(known.keys().next().value!);
  }

  return {
    recall(wanted) {
      const names = known.get(wanted.organizationId);
      const all = names?.lists.get(callerOf(wanted));
      if (names === undefined || all === undefined || names.untilMs <= Date.now()) return undefined;
      const list = within(all, wanted.within);
      const relations = relationsWithoutViews(list, wanted.texts) ?? names.relations.get(keyOf(wanted));
      return relations && { list, relations, version: names.version };
    },

    async read(wanted) {
      const { organizationId, actsFor, texts } = wanted;
      const read = await inOrganization(db, organizationId, async (transaction) => {
        // First, so that what is read afterwards is at least as new.
        const counted = await transaction
          .selectFrom('names_versions')
          .select('version')
          .where('organization_id', '=', organizationId)
          .executeTakeFirst();
        const next = await transaction
          .selectFrom('api_clients')
          .select((select) => select.fn.min('expires_at').as('at'))
          .where('organization_id', '=', organizationId)
          .where('expires_at', '>', new Date())
          .executeTakeFirst();
        await actAs(transaction, organizationId, actsFor);
        const all = nameList(await listQueryable(transaction, organizationId));
        const list = within(all, wanted.within);
        const relations = await relationsFor(transaction, organizationId, list.all, texts);
        const untilMs = next?.at?.getTime() ?? Number.POSITIVE_INFINITY;
        return { all, list, relations, version: counted?.version ?? 0, untilMs };
      });
      keep(wanted, { ...read, list: read.all });
      return read;
    },
  };
}

const within = (list: NameList, ids: ReadonlySet<string> | undefined): NameList =>
  ids === undefined ? list : nameList(list.all.filter(({ id }) => ids.has(id)));

const callerOf = ({ actsFor }: NamesWanted): string => [...new Set([actsFor].flat())].join(',');

const keyOf = (wanted: NamesWanted): string =>
  JSON.stringify([callerOf(wanted), wanted.within && [...wanted.within], wanted.texts]);

/** In order of use, least recently used first. */
function put<T>(kept: Map<string, T>, key: string, value: T, most: number): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > most) kept.delete(kept.keys().next().value!);
}
