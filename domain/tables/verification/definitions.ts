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

/** @throws AppError revision_conflict */
export function refuseOtherRevision(
  { revision }: Pick<TestDefinition | Overlay, 'revision'>,
  expected: number | undefined,
): void {
  if (expected === undefined || expected === revision) return;
  throw new AppError(
    'revision_conflict',
    `It has changed in the meantime: its revision is now ${revision}. Read it again, then repeat the change.`,
    {
      extensions: { current_revision: revision },
    },
  );
}
