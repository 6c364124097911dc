import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { showSteps } from '../../workspace/runs/runs.ts';
import type { RunStep } from '../../workspace/runs/steps.ts';
import type { Conversation } from '../conversations/conversations.ts';
import { type MessagePart, partsOf } from '../conversations/messages.ts';

/**
 * Shows each tool call of a run's analyst as a step of the run. Does nothing in a conversation with people.
 */
export async function showInRun(
  db: OrganizationTransaction,
  { organization_id: organizationId, run_id: runId }: Conversation,
  messageId: string,
): Promise<void> {
  if (runId === null) return;
  const parts = (await partsOf(db, organizationId, [messageId])).get(messageId) ?? [];
  const calls = parts.filter(({ type }) => type === 'tool_call');
  await showSteps(db, organizationId, runId, calls.map(stepOf));
}

const statuses: Readonly<Record<string, RunStep['status']>> = {
  running: 'running',
  waiting_approval: 'running',
  done: 'succeeded',
  cancelled: 'cancelled',
};

function stepOf(part: MessagePart): Omit<RunStep, 'startedAt' | 'finishedAt'> {
  const status = statuses[part.status ?? 'running'] ?? 'failed';
  const detail = part.summary ?? null;
  return {
    id: `call-${part.part_index}`,
    name: part.name ?? '',
    type: 'tool',
    status,
    detail: status === 'failed' ? null : detail,
    error: status === 'failed' ? { code: 'tool_failed', message: detail ?? 'The tool failed.' } : null,
  };
}
