import { pauseSchedulesOf } from '../../../domain/automation/schedules/pause.ts';
import { pauseWorkflowsOf } from '../../../domain/automation/workflows/definitions/pause-all.ts';
import {
  archiveProject,
  getProject,
  insertProject,
  listProjects,
  updateProject,
} from '../../../domain/workspace/projects/projects.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import {
  createProjectBody,
  listProjectsQuery,
  projectExample,
  projectSchema,
  projectView,
  updateProjectBody,
} from './schemas.ts';

export function projectsRoutes(app: Routes, deps: ApiDeps): void {
  const projects = resource(app, deps, {
    tag: {
      name: 'Projects',
      description:
        'Create and manage projects. A project contains conversations, reports, playbooks, files and catalog entries.',
    },
    path: '/v1/projects/:project_id',
    schema: projectSchema,
    example: projectExample,
    load: (db, organizationId, { project_id: id }) => getProject(db, organizationId, id),
    view: projectView,
  });

  projects.list({
    summary: 'List projects, newest first',
    query: listProjectsQuery,
    rows: (db, { organizationId, query }, slice) =>
      listProjects(db, organizationId, { ...slice, includeArchived: query.include_archived === 'true' }),
  });
  projects.create({
    summary: 'Create a project',
    audit: 'project.created',
    body: createProjectBody,
    run: ({ transaction, organizationId, newId, body }) =>
      transaction((db) => insertProject(db, { organization_id: organizationId, id: newId('prj'), ...body })),
  });
  projects.show({ summary: 'Show a project' });
  projects.change({
    summary: 'Change a project',
    audit: 'project.updated',
    body: updateProjectBody,
    run: ({ transaction, organizationId, params, body }) =>
      transaction((db) => updateProject(db, organizationId, params.project_id, body)),
  });
  projects.remove({
    summary: 'Archive a project',
    audit: 'project.archived',
    description:
      "Its files and tables stay. You can't add anything to it, and its schedules and workflows are paused. Archiving twice has the same result.",
    run: ({ transaction, organizationId, params }) =>
      transaction(async (db) => {
        const project = await archiveProject(db, organizationId, params.project_id);
        // Before the schedules; an activation locks them in the same order.
        await pauseWorkflowsOf(db, organizationId, { projectId: project.id });
        await pauseSchedulesOf(db, organizationId, { projectId: project.id }, Date.now());
        return project;
      }),
  });
}
