import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { defineProcess } from '../../../data/processes/define.ts';
import { bestEffort, type Processes } from '../../../data/processes/processes.ts';
import type { ConversationInput } from '../../../workflows/analyst/conversation/contract.ts';
import {
  conversationWorkflowType,
  stopReplySignal,
  wakeConversationSignal,
} from '../../../workflows/analyst/conversation/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { findProject } from '../../workspace/projects/projects.ts';
import type { Conversation } from './conversations.ts';

export const conversationProcess = defineProcess<ConversationInput>({
  kind: 'conversation',
  workflowType: conversationWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ conversationId }) => conversationId,
  whenTerminated: 'close',
});

/**
 * The outbox entry of a conversation's process, the same for every starter. Its summary reveals nothing of
 * the conversation's content.
 */
export async function conversationStart(
  db: OrganizationTransaction,
  row: Pick<Conversation, 'organization_id' | 'id' | 'project_id'>,
  memo: Record<string, string> = {},
) {
  const input = { organizationId: row.organization_id, conversationId: row.id };
  const project = await findProject(db, row.organization_id, row.project_id);
  const summary = `Conversation in the project ${project?.name ?? row.project_id}`;
  return conversationProcess.startOf(input, {
    summary,
    projectId: row.project_id,
    address: `/v1/projects/${row.project_id}/conversations/${row.id}`,
    memo,
  });
}

/** Maximum time a request waits for its process; it is already accepted. */
const longestWaitMs = 250;

export interface WakeDeps {
  db: Database;
  processes: Processes;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Starts the conversation's process, or signals the running one to check its rows; `stopped` is a reply that
 * it need not wait for any more. The rows contain all of this too, so the wait is short, and if the workflows
 * service is unavailable, the worker catches up later.
 */
export function wakeConversation(
  deps: WakeDeps,
  row: Pick<Conversation, 'organization_id' | 'id' | 'project_id'>,
  memo: Record<string, string> = {},
  stopped: string | null = null,
): Promise<void> {
  const signal =
    stopped === null
      ? { name: wakeConversationSignal, args: [] }
      : { name: stopReplySignal, args: [stopped] };
  const woken = inOrganization(deps.db, row.organization_id, (db) => conversationStart(db, row, memo)).then(
    (start) => deps.processes.wake(start, signal),
  );
  return Promise.race([
    bestEffort(deps, conversationProcess.workflowId(row.id), woken),
    wait(longestWaitMs, undefined, { ref: false }),
  ]);
}
