import { identifier } from '../../../data/lake/sql.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import { relationsFor } from '../query/relations.ts';
import type { QueryRelation } from '../query/request.ts';
import { listQueryable, type NamedTable } from '../tables/tables.ts';
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

/** The rest of the transaction must not depend on its principal. */
export async function scopeOf(
  db: OrganizationTransaction,
  organizationId: string,
  test: Test,
  definerId: string,
): Promise<TestScope> {
  if (test.kind === 'relationship') {
    await actAs(db, organizationId, definerId);
    const wanted = test.params.to_table_id;
    const to = (await listQueryable(db, organizationId)).find(({ id }) => id === wanted);
    if (to === undefined) return { relations: [], toTable: undefined };
    const quoted = identifier(to.name);
    return { relations: await relationsFor(db, organizationId, [to], [quoted]), toTable: to.name };
  }
  if (test.kind !== 'sql' && test.kind !== 'expression') return { relations: [], toTable: undefined };
  await actAs(db, organizationId, definerId);
  const named = await listQueryable(db, organizationId);
  const text = test.kind === 'sql' ? test.params.sql : test.params.expression;
  return { relations: await relationsFor(db, organizationId, named, [text]), toTable: undefined };
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
