import { inOrganization } from '../../data/postgres/client.ts';
import { getProject, insertProject, listProjects, updateProject } from '../../domain/projects/projects.ts';
import { callerOf, idFor } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { decodeCursor, envelope, idCursor, page, toPage } from '../schemas.ts';
import {
  createProjectBody,
  listProjectsQuery,
  projectParams,
  projectSchema,
  projectView,
  updateProjectBody,
} from './schemas.ts';

export function projectsRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Projects'];
  const exists = (organizationId: string, params: Record<string, string>) =>
    inOrganization(deps.db, organizationId, (db) => getProject(db, organizationId, params['project_id']!));

  app.get(
    '/v1/projects',
    {
      schema: {
        tags,
        summary: 'List projects, newest first',
        querystring: listProjectsQuery,
        response: { 200: page(projectSchema) },
      },
      config: { scope: 'agent:read' },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { limit, include_archived: archived } = request.query;
      const options = {
        includeArchived: archived === 'true',
        after: decodeCursor(idCursor, request),
        limit: limit + 1,
      };
      const rows = await inOrganization(deps.db, organizationId, (db) =>
        listProjects(db, organizationId, options),
      );
      return toPage(request, rows, (row) => row.id, projectView);
    },
  );

  app.post(
    '/v1/projects',
    {
      schema: {
        tags,
        summary: 'Create a project',
        body: createProjectBody,
        response: { 201: envelope(projectSchema) },
      },
      config: { scope: 'agent:write' },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      const row = { organization_id: organizationId, id: idFor(request, 'prj'), ...request.body };
      const project = await inOrganization(deps.db, organizationId, (db) => insertProject(db, row));
      return reply
        .code(201)
        .header('Location', `/v1/projects/${project.id}`)
        .send({ data: projectView(project) });
    },
  );

  app.get(
    '/v1/projects/:project_id',
    {
      schema: {
        tags,
        summary: 'Show a project',
        params: projectParams,
        response: { 200: envelope(projectSchema) },
      },
      config: { scope: 'agent:read', exists },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const project = await inOrganization(deps.db, organizationId, (db) =>
        getProject(db, organizationId, request.params.project_id),
      );
      return { data: projectView(project) };
    },
  );

  app.patch(
    '/v1/projects/:project_id',
    {
      schema: {
        tags,
        summary: 'Change a project',
        params: projectParams,
        body: updateProjectBody,
        response: { 200: envelope(projectSchema) },
      },
      config: { scope: 'agent:write', exists },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const project = await inOrganization(deps.db, organizationId, async (db) => {
        await getProject(db, organizationId, request.params.project_id);
        return updateProject(db, organizationId, request.params.project_id, request.body);
      });
      return { data: projectView(project) };
    },
  );

  app.delete(
    '/v1/projects/:project_id',
    {
      schema: {
        tags,
        summary: 'Archive a project',
        description:
          'Its files and tables stay; nothing can be added to it. Archiving twice is the same answer.',
        params: projectParams,
        response: { 200: envelope(projectSchema) },
      },
      config: { scope: 'agent:write', exists },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const id = request.params.project_id;
      const project = await inOrganization(deps.db, organizationId, async (db) => {
        const before = await getProject(db, organizationId, id);
        return before.archived_at === null
          ? updateProject(db, organizationId, id, { archived_at: new Date() })
          : before;
      });
      return { data: projectView(project) };
    },
  );
}
