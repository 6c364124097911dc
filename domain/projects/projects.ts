import type { Insertable, Selectable, Updateable } from 'kysely';
import { AppError, notFound } from '../../data/errors.ts';
import { isId } from '../../data/ids.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import type { Projects } from '../../data/postgres/schema.gen.ts';

export type Project = Selectable<Projects>;

/** Newest first. `after` is the last id of the page before. */
export async function listProjects(
  db: OrganizationTransaction,
  organizationId: string,
  options: { includeArchived: boolean; after: string | undefined; limit: number },
): Promise<Project[]> {
  let query = db.selectFrom('projects').selectAll().where('organization_id', '=', organizationId);
  if (!options.includeArchived) query = query.where('archived_at', 'is', null);
  if (options.after !== undefined) query = query.where('id', '<', options.after);
  return query.orderBy('id', 'desc').limit(options.limit).execute();
}

export async function findProject(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<Project | undefined> {
  if (!isId('prj', id)) return undefined;
  return db
    .selectFrom('projects')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function getProject(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<Project> {
  const project = await findProject(db, organizationId, id);
  if (project === undefined) throw notFound('The project');
  return project;
}

/** A project that may still change: an archived one is read-only. */
export async function getOpenProject(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<Project> {
  const project = await getProject(db, organizationId, id);
  if (project.archived_at !== null)
    throw new AppError('conflict', 'The project is archived; nothing can be added to it.');
  return project;
}

/** Safe to repeat with the same id: the first project stays. */
export async function insertProject(
  db: OrganizationTransaction,
  project: Insertable<Projects> & { organization_id: string; id: string },
): Promise<Project> {
  await db
    .insertInto('projects')
    .values(project)
    .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doNothing())
    .execute();
  return getProject(db, project.organization_id, project.id);
}

export async function updateProject(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  change: Updateable<Projects>,
): Promise<Project> {
  await db
    .updateTable('projects')
    .set({ ...change, updated_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  return getProject(db, organizationId, id);
}
