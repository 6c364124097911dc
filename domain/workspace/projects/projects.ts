import type { Updateable } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';

export type Project = RecordOf<'projects'>;

const projects = records('projects', { prefix: 'prj', what: 'The project' });

export const { find: findProject, get: getProject, insert: insertProject } = projects;

/** Newest first. */
export function listProjects(
  db: OrganizationTransaction,
  organizationId: string,
  { includeArchived, ...slice }: Slice & { includeArchived: boolean },
): Promise<Project[]> {
  return projects.list(db, organizationId, slice, includeArchived ? {} : { archived_at: null });
}

/**
 * A project that may be changed.
 *
 * @throws AppError conflict if it is archived, which makes it read-only
 */
export async function getOpenProject(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<Project> {
  const project = await getProject(db, organizationId, id);
  if (project.archived_at !== null)
    throw new AppError('conflict', "The project is archived, so you can't add anything to it.");
  return project;
}

export function updateProject(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  change: Updateable<DB['projects']>,
): Promise<Project> {
  return projects.update(db, organizationId, id, { ...change, updated_at: new Date() });
}

/** Archiving twice changes nothing. */
export async function archiveProject(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<Project> {
  const project = await getProject(db, organizationId, id, 'update');
  if (project.archived_at !== null) return project;
  const now = new Date();
  return projects.update(db, organizationId, id, { archived_at: now, updated_at: now });
}
