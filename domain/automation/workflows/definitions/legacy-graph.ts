import { z } from 'zod';

/** A step of another system's workflow, in the names that the API shows. */
export const legacyStep = z.discriminatedUnion('type', [
  z.strictObject({
    position: z.int().min(0),
    type: z.literal('playbook'),
    /** The playbook's id. */
    targetFileId: z.string().min(1),
    config: z.strictObject({ params: z.record(z.string(), z.unknown()).default({}) }).prefault({}),
    targets: z.array(z.unknown()).max(0).default([]),
  }),
  z.strictObject({
    position: z.int().min(0),
    type: z.literal('email_delivery'),
    targetFileId: z.literal('').default(''),
    config: z.strictObject({
      subject: z.string(),
      text: z.string().optional(),
      format: z.string().optional(),
    }),
    targets: z.array(z.strictObject({ kind: z.literal('email'), email: z.string() })).min(1),
  }),
  z.strictObject({
    position: z.int().min(0),
    type: z.literal('slack_delivery'),
    targetFileId: z.literal('').default(''),
    config: z.strictObject({ webhookUrl: z.string(), text: z.string() }),
    targets: z.array(z.unknown()).max(0).default([]),
  }),
]);

export type LegacyStep = z.output<typeof legacyStep>;

/** Shown instead of a secret, as in a graph that is read. */
const hidden = '********';

export const stepId = (index: number): string => `step_${index + 1}`;

/** Sorted by position, with ids and without secrets: as they are shown. */
export function shownSteps(steps: readonly LegacyStep[]): (LegacyStep & { id: string })[] {
  return ordered(steps).map((step, index) => ({
    ...(step.type === 'slack_delivery' ? { ...step, config: { ...step.config, webhookUrl: hidden } } : step),
    id: stepId(index),
  }));
}

/**
 * The graph equivalent to the steps: one after the other, each delivery with the output of the preceding
 * playbook. A playbook produces a report or a file; the edge from the other port carries nothing.
 */
export function graphOfSteps(steps: readonly LegacyStep[]): Record<string, unknown> {
  const edges: { from: string; to: string }[] = [];
  let made: string | undefined;
  const nodes = ordered(steps).map((step, index) => {
    const id = stepId(index);
    if (index > 0) edges.push({ from: `${stepId(index - 1)}.done`, to: `${id}.start` });
    if (step.type === 'playbook') made = id;
    else if (made !== undefined)
      for (const port of ['report', 'file']) edges.push({ from: `${made}.${port}`, to: `${id}.input` });
    return { id, type: step.type, name: `Step ${index + 1}`, config: configOf(step) };
  });
  return { version: 1, parameters: {}, nodes, edges };
}

function configOf(step: LegacyStep): Record<string, unknown> {
  switch (step.type) {
    case 'playbook':
      return { playbook_id: step.targetFileId, params: step.config.params };
    case 'email_delivery':
      return { to: step.targets.map(({ email }) => email), ...step.config };
    case 'slack_delivery':
      return { webhook_url: step.config.webhookUrl, text: step.config.text };
  }
}

const ordered = (steps: readonly LegacyStep[]): LegacyStep[] =>
  [...steps].sort((a, b) => a.position - b.position);
