import { z } from 'zod';
import { changesBetween } from '../../../domain/automation/workflows/definitions/version-changes.ts';
import type { WorkflowVersion } from '../../../domain/automation/workflows/definitions/versions.ts';
import { cadenceView } from '../../../packages/cadences/index.ts';
import { keptMap } from '../../free-form.ts';
import { timestamp } from '../../schemas.ts';
import { dataEventView, triggerSchema, workflowExample } from './schemas.ts';

const edge = z.object({ from: z.string(), to: z.string() });

export const versionSchema = z
  .object({
    id: z.string(),
    workflowId: z.string(),
    number: z.int().describe('The number of the version, counted from 1 in the order of activations.'),
    title: z.string(),
    outputFolder: z.string(),
    graph: keptMap,
    triggers: z.array(triggerSchema),
    changes: z
      .object({
        nodesAdded: z.array(z.string()),
        nodesRemoved: z.array(z.string()),
        nodesChanged: z.array(z.string()),
        edgesAdded: z.array(edge),
        edgesRemoved: z.array(edge),
      })
      .describe("What differs from the version before. A changed secret isn't shown."),
    createdByUserId: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'WorkflowVersion' });

const { graph, triggers, title, outputFolder } = workflowExample;

export const versionExample: z.input<typeof versionSchema> = {
  id: 'wfv_01kahz3v6dfyvb1s8m3h9q2w4x',
  workflowId: workflowExample.id,
  number: 1,
  title,
  outputFolder,
  graph: graph!,
  triggers,
  changes: {
    nodesAdded: ['sales', 'enough', 'tell'],
    nodesRemoved: [],
    nodesChanged: [],
    edgesAdded: [{ from: 'sales.rows', to: 'enough.input' }],
    edgesRemoved: [],
  },
  createdByUserId: workflowExample.ownerUserId,
  createdAt: '2026-11-21T08:35:00.000Z',
};

export type ShownVersion = WorkflowVersion & { before: WorkflowVersion | undefined };

export function versionView(row: ShownVersion): z.input<typeof versionSchema> {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    number: row.number,
    title: row.title,
    outputFolder: row.output_folder,
    graph: { ...row.graph },
    triggers: row.triggers.map(({ cadence, config, ...trigger }) => ({
      ...trigger,
      schedule: cadence === null ? null : cadenceView(cadence),
      config: config && dataEventView(config),
    })),
    changes: changesBetween(row.before?.graph, row.graph),
    createdByUserId: row.created_by,
    createdAt: row.created_at.toISOString(),
  };
}
