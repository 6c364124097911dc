import { sql } from 'kysely';
import { AppError, notFound, ValidationError, type ValidationFault } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { countFitting, listFitting } from '../../../data/postgres/page-bytes.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import type { AgentOutput } from '../agent-runs/agent-runs.ts';
import { namesIn, type Parameters, valueFault } from './parameters.ts';

export type Playbook = RecordOf<'playbooks'>;

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    playbooks: {
      parameters: DefaultedDocument<Parameters>;
      output: Document<AgentOutput>;
    };
    playbook_versions: {
      parameters: Document<Parameters>;
      output: Document<AgentOutput>;
    };
  }
}

const playbooks = records('playbooks', { prefix: 'pbk', what: 'The playbook' });

export const { find: findPlaybook } = playbooks;

/** The content written by its author. */
export interface PlaybookContent {
  title: string;
  description: string;
  /** Markdown, with `${name}` for parameters. */
  instructions: string;
  parameters: Parameters;
  output: AgentOutput;
  /** Null means the service's default. */
  model: string | null;
  effort: Playbook['effort'];
}

export async function getPlaybook(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  id: string,
  lock?: 'update',
): Promise<Playbook> {
  const row = await playbooks.get(db, organizationId, id, lock);
  if (row.project_id !== projectId) throw notFound('The playbook');
  return row;
}

/** Newest first, with the number that fits a page. */
export function listPlaybooks(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
  slice: Slice,
): Promise<{ rows: Playbook[]; shown: number }> {
  const bytes = sql<number>`octet_length(instructions)`;
  const of = { organizationId, projectId };
  return listFitting(db, { table: 'playbooks', bytes, list: playbooks.list }, of, slice);
}

export interface NewPlaybook extends PlaybookContent {
  organizationId: string;
  projectId: string;
  id: string;
  createdBy: string;
}

/** Adds a playbook; with an existing id, returns that playbook. */
export async function insertPlaybook(db: OrganizationTransaction, playbook: NewPlaybook): Promise<Playbook> {
  const { organizationId, projectId, id, createdBy } = playbook;
  await getOpenProject(db, organizationId, projectId);
  checkContent(playbook);
  const earlier = await playbooks.find(db, organizationId, id);
  if (earlier !== undefined) return earlier;
  refuseBeyond(limits.playbooks.playbooks, await count(db, organizationId, projectId));
  const row = await playbooks.insert(db, {
    organization_id: organizationId,
    id,
    project_id: projectId,
    created_by: createdBy,
    ...columnsOf(playbook),
  });
  await insertVersion(db, row, createdBy);
  return row;
}

/** Writes the next revision of a playbook locked by the transaction; the previous one is kept. */
export async function revisePlaybook(
  db: OrganizationTransaction,
  before: Playbook,
  {
    change,
    expectedRevision,
    changedBy,
  }: { change: Partial<PlaybookContent>; expectedRevision: number | undefined; changedBy: string },
): Promise<Playbook> {
  await getOpenProject(db, before.organization_id, before.project_id);
  if (expectedRevision !== undefined && expectedRevision !== before.revision)
    throw new AppError(
      'revision_conflict',
      `The playbook has changed: its revision is now ${before.revision}. Read it again, then repeat the change.`,
      {
        extensions: { current_revision: before.revision },
      },
    );
  refuseBeyond(limits.playbooks.revisions, before.revision);
  const content = { ...contentOf(before), ...change };
  checkContent(content);
  const row = await playbooks.update(db, before.organization_id, before.id, {
    ...columnsOf(content),
    revision: before.revision + 1,
    updated_at: new Date(),
  });
  await insertVersion(db, row, changedBy);
  return row;
}

/** Removes a playbook and its versions. Results of its runs stay. */
export async function deletePlaybook(db: OrganizationTransaction, row: Playbook): Promise<Playbook> {
  await playbooks.remove(db, row.organization_id, row.id);
  return row;
}

function contentOf(row: Playbook): PlaybookContent {
  const { title, description, instructions, model, effort } = row;
  return {
    title,
    description,
    instructions,
    model,
    effort,
    parameters: row.parameters,
    output: row.output,
  };
}

function columnsOf({ parameters, output, ...content }: PlaybookContent) {
  const { title, description, instructions, model, effort } = content;
  return {
    title,
    description,
    instructions,
    model,
    effort,
    parameters: JSON.stringify(parameters),
    output: JSON.stringify(output),
  };
}

/** A playbook's parameters must be consistent, or none of its runs could start. */
function checkContent({ title, instructions, parameters, output }: PlaybookContent): void {
  const faults: ValidationFault[] = [];
  const known = (loc: string[], text: string) => {
    for (const name of namesIn(text))
      if (!Object.hasOwn(parameters, name))
        faults.push({ loc, type: 'value_error', msg: `\${${name}} isn't a parameter of the playbook.` });
  };
  known(['body', 'title'], title);
  known(['body', 'instructions'], instructions);
  if (output.type === 'report') known(['body', 'output', 'title'], output.title);
  else known(['body', 'output', 'path'], output.path);
  for (const [name, parameter] of Object.entries(parameters)) {
    const fault = parameter.default === null ? undefined : valueFault(parameter, parameter.default);
    if (fault !== undefined) faults.push({ loc: ['body', 'parameters', name, 'default'], ...fault });
  }
  if (faults.length > 0) throw new ValidationError(faults);
}

async function count(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
): Promise<number> {
  const { total } = await db
    .selectFrom('playbooks')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(total);
}

async function insertVersion(
  db: OrganizationTransaction,
  { organization_id, id, ...row }: Playbook,
  createdBy: string,
): Promise<void> {
  const { revision, title, description, instructions, model, effort } = row;
  await db
    .insertInto('playbook_versions')
    .values({
      organization_id,
      playbook_id: id,
      revision,
      title,
      description,
      instructions,
      model,
      effort,
      parameters: JSON.stringify(row.parameters),
      output: JSON.stringify(row.output),
      created_by: createdBy,
    })
    .execute();
}

/** Who wrote the current revision. */
export async function writerOf(
  db: OrganizationTransaction,
  { organization_id: organizationId, id, revision, created_by: maker }: Playbook,
): Promise<string> {
  const version = await db
    .selectFrom('playbook_versions')
    .select('created_by')
    .where('organization_id', '=', organizationId)
    .where('playbook_id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return version?.created_by ?? maker;
}

/** Revisions of a playbook before a given one, newest first, with the number that fits a page. */
export async function listVersions(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Playbook,
  { after, limit }: { after: number | undefined; limit: number },
) {
  let query = db
    .selectFrom('playbook_versions')
    .where('organization_id', '=', organizationId)
    .where('playbook_id', '=', id);
  if (after !== undefined) query = query.where('revision', '<', after);
  const newest = query.orderBy('revision', 'desc');
  const sizes = await newest
    .select(sql<number>`octet_length(instructions)`.as('bytes'))
    .limit(limit)
    .execute();
  const shown = countFitting(sizes.map(({ bytes }) => bytes));
  const rows = await newest
    .selectAll()
    .limit(Math.min(limit, shown + 1))
    .execute();
  return { rows, shown };
}
