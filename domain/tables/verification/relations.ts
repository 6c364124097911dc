import { identifier } from '../../../data/lake/sql.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import { relationsFor } from '../query/relations.ts';
import type { QueryRelation } from '../query/request.ts';
import { listQueryable, type NamedTable } from '../tables/registry.ts';
import type { Test } from './kinds.ts';

/** The name under which a test reads the tested table. */
export const subjectName = 'this';

/** What a test may read besides the tested table: what its definer may. */
export interface TestScope {
  /** Tables and views that its statements may name. */
  relations: QueryRelation[];
  /** The name of the table that a relationship leads to. */
  toTable: string | undefined;
}

const nothing: TestScope = { relations: [], toTable: undefined };

/** The scope of a test with the rights of its definer. */
export type Scopes = (test: Test, definerId: string) => Promise<TestScope>;

/**
 * Scopes of some tests. Expressions of one definer share theirs, so that they can be counted together; it is
 * looked up once, and mostly empty.
 */
export function createScopes(
  db: Database,
  organizationId: string,
  tests: readonly { kind: Test['kind']; params: Record<string, unknown>; definedBy: string }[],
): Scopes {
  const shared = new Map<string, Promise<TestScope>>();
  const look = (definerId: string, find: (db: OrganizationTransaction) => Promise<TestScope>) =>
    inOrganization(db, organizationId, async (transaction) => {
      await actAs(transaction, organizationId, definerId);
      return find(transaction);
    });
  return async (test, definerId) => {
    if (test.kind === 'relationship')
      return look(definerId, (transaction) =>
        leadingTo(transaction, organizationId, test.params.to_table_id),
      );
    if (test.kind === 'sql')
      return look(definerId, (transaction) => namedIn(transaction, organizationId, [test.params.sql]));
    if (test.kind !== 'expression') return nothing;
    const texts = tests
      .filter(({ kind, definedBy }) => kind === 'expression' && definedBy === definerId)
      .map(({ params }) => String(params['expression']));
    const known =
      shared.get(definerId) ?? look(definerId, (transaction) => namedIn(transaction, organizationId, texts));
    shared.set(definerId, known);
    return known;
  };
}

async function leadingTo(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<TestScope> {
  const to = (await listQueryable(db, organizationId)).find(({ id }) => id === tableId);
  if (to === undefined) return nothing;
  return {
    relations: await relationsFor(db, organizationId, [to], [identifier(to.name)]),
    toTable: to.name,
  };
}

async function namedIn(
  db: OrganizationTransaction,
  organizationId: string,
  texts: readonly string[],
): Promise<TestScope> {
  const named = await listQueryable(db, organizationId);
  return { relations: await relationsFor(db, organizationId, named, texts), toTable: undefined };
}

/** The tested table as it is in the lake, under the name by which tests read it. */
export function asSubject({ id, name }: NamedTable): QueryRelation {
  return {
    ...{ id: subjectName, name: subjectName },
    definition: `SELECT * FROM ${identifier(name)}`,
    reads: [{ id, name }],
  };
}

/** Relations for one statement; the tested table hides one of the same name. */
export function withSubject(subject: QueryRelation, { relations }: TestScope): QueryRelation[] {
  return [subject, ...relations.filter(({ name }) => name.toLowerCase() !== subjectName)];
}
