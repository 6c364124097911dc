import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import { parseExactJson } from '../../../data/exact-json.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { Params } from './kinds.ts';
import type { Overlay } from './overlays.ts';

export type TestDefinition = RecordOf<'verification_definitions'>;

/** What selects tables at each run; a table must be as all of it says. */
export interface Selector {
  projectId?: string;
  modelingTier?: 'raw' | 'staged' | 'curated' | 'certified';
  /** RE2, found anywhere in the name, ignoring case. */
  namePattern?: string;
}

const definitions = records('verification_definitions', { prefix: 'vtd', what: 'The test definition' });

export const {
  find: findTestDefinition,
  get: getTestDefinition,
  list: listTestDefinitions,
  insert: insertTestDefinition,
  update: updateTestDefinition,
  remove: removeTestDefinition,
} = definitions;

/** Bounds what is resolved for each run. */
export const mostDefinitions = 2_000;

export const paramsOf = ({ params }: Pick<TestDefinition, 'params'>): Params =>
  parseExactJson(params) as Params;

export const selectorOf = ({ selector }: Pick<TestDefinition, 'selector'>): Selector | undefined =>
  (selector as Selector | null) ?? undefined;

export function allTestDefinitions(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<TestDefinition[]> {
  return db
    .selectFrom('verification_definitions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();
}

/** All of them are read before anything is tested. */
const mostBytes = 8 * 1_024 ** 2;

/**
 * Refuses a definition that would be one too many, or whose parameters are too much together with others.
 *
 * @throws AppError conflict
 */
export async function refuseTooMuch(
  db: OrganizationTransaction,
  organizationId: string,
  { id, params }: { id: string; params: string },
): Promise<void> {
  const { count, bytes } = await db
    .selectFrom('verification_definitions')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      sql<number>`coalesce(sum(octet_length(params)), 0)`.as('bytes'),
    ])
    .where('organization_id', '=', organizationId)
    .where('id', '<>', id)
    .executeTakeFirstOrThrow();
  if (Number(bytes) + Buffer.byteLength(params) > mostBytes)
    throw new AppError(
      'conflict',
      'The parameters of all test definitions of the organization take more than 8 MiB: shorten or delete some.',
    );
  if (Number(count) < mostDefinitions) return;
  throw new AppError(
    'conflict',
    `The organization has ${mostDefinitions.toLocaleString('en-US')} test definitions, the most there may be: delete some, or let one select several tables.`,
  );
}

/** @throws AppError revision_conflict */
export function refuseOtherRevision(
  { revision }: Pick<TestDefinition | Overlay, 'revision'>,
  expected: number | undefined,
): void {
  if (expected === undefined || expected === revision) return;
  throw new AppError('revision_conflict', `It changed in the meantime: its revision is ${revision} now.`, {
    extensions: { current_revision: revision },
  });
}
