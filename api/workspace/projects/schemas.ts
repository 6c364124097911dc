import { z } from 'zod';
import type { Project } from '../../../domain/workspace/projects/projects.ts';
import { characters, nullableTimestamp, pageQuery, timestamp, visibleName } from '../../schemas.ts';

export const projectSchema = z
  .object({
    id: z.string().meta({ examples: ['prj_01kahz3v6dfyvb1s8m3h9q2w4x'] }),
    name: z.string(),
    description: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    archivedAt: nullableTimestamp,
  })
  .meta({ id: 'Project' });

export const projectExample = {
  id: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'Quarterly revenue',
  description: 'Orders and refunds since 2024.',
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
  archivedAt: null,
};

const name = visibleName(255).overwrite((text) => text.trim());
const description = characters(0, 10_000);

export const createProjectBody = z.strictObject({ name, description: description.default('') }).meta({
  examples: [{ name: 'Quarterly revenue', description: 'Orders and refunds since 2024.' }],
});
export const updateProjectBody = z
  .strictObject({ name: name.optional(), description: description.optional() })
  .meta({ examples: [{ description: 'Orders and refunds since 2023.' }] });
export const listProjectsQuery = pageQuery.extend({
  include_archived: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether to include archived projects.'),
});

export function projectView(project: Project): z.infer<typeof projectSchema> {
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    createdAt: project.created_at.toISOString(),
    updatedAt: project.updated_at.toISOString(),
    archivedAt: project.archived_at?.toISOString() ?? null,
  };
}
