import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import { listQueryable, type NamedRelation } from '../tables/registry.ts';
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
  named: readonly NamedRelation[];
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
  named: Map<string, readonly NamedRelation[]>;
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
      ? { version: read.version, untilMs: read.untilMs, named: new Map(), relations: new Map() }
      : before;
    known.delete(organizationId);
    known.set(organizationId, names);
    names.untilMs = Math.min(names.untilMs, read.untilMs);
    if (read.named.length <= mostNames) put(names.named, callerOf(wanted), read.named, mostCallers);
    const key = keyOf(wanted);
    if (key.length <= mostTextCharacters) put(names.relations, key, read.relations, mostTexts);
    if (known.size > mostOrganizations) known.delete(known.keys().next().value!);
  }

  return {
    recall(wanted) {
      const names = known.get(wanted.organizationId);
      const all = names?.named.get(callerOf(wanted));
      if (names === undefined || all === undefined || names.untilMs <= Date.now()) return undefined;
      const named = within(all, wanted.within);
      const relations = relationsWithoutViews(named, wanted.texts) ?? names.relations.get(keyOf(wanted));
      return relations && { named, relations, version: names.version };
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
        const all = await listQueryable(transaction, organizationId);
        const named = within(all, wanted.within);
        const relations = await relationsFor(transaction, organizationId, named, texts);
        const untilMs = next?.at?.getTime() ?? Number.POSITIVE_INFINITY;
        return { all, named, relations, version: counted?.version ?? 0, untilMs };
      });
      keep(wanted, { ...read, named: read.all });
      return read;
    },
  };
}

const within = (all: readonly NamedRelation[], ids: ReadonlySet<string> | undefined) =>
  ids === undefined ? all : all.filter(({ id }) => ids.has(id));

const callerOf = ({ actsFor }: NamesWanted): string => [...new Set([actsFor].flat())].join(',');

const keyOf = (wanted: NamesWanted): string =>
  JSON.stringify([callerOf(wanted), wanted.within && [...wanted.within], wanted.texts]);

/** In order of use, least recently used first. */
function put<T>(kept: Map<string, T>, key: string, value: T, most: number): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > most) kept.delete(kept.keys().next().value!);
}
