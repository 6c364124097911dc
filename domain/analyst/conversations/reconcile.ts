import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { Processes } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep, wholeStep } from '../../../data/reconciling/step.ts';
import { wakeConversationSignal } from '../../../workflows/analyst/conversation/names.ts';
import { hasDecisions } from './approvals.ts';
import { lockConversation, updateConversation } from './conversations.ts';
import { failTurn } from './lifecycle.ts';
import { activeReply } from './messages.ts';
import { conversationProcess, conversationStart } from './process.ts';

export interface ConversationReconcileDeps {
  db: Database;
  processes: Processes;
  logger: Pick<Logger, 'info'>;
}

/** Longer than any request takes: its own wake-up has succeeded or failed by then. */
const dueSeconds = 5;
/** A turn's process is checked only after the turn's first minute. */
const turnSeconds = 60;
const eventsAtOnce = 10_000;

interface Found {
  organizationId: string;
  conversationId: string;
}

/** Wakes conversations whose wake-up was lost, and handles those whose process was ended from outside. */
export function conversationSteps(
  deps: ConversationReconcileDeps,
  { due = dueSeconds, turn = turnSeconds } = {},
): ReconcileStep[] {
  const { db } = deps;
  return [
    rowsStep(
      'due conversations',
      { db, foundBy: 'due_conversations', olderThanSeconds: due },
      (organizationId, conversationId) => wake(deps, { organizationId, conversationId }),
    ),
    rowsStep(
      'conversations in turn',
      { db, foundBy: 'conversations_in_turn', olderThanSeconds: turn },
      (organizationId, conversationId) => revive(deps, { organizationId, conversationId }),
    ),
    wholeStep('conversation events', () =>
      sql`SELECT purge_conversation_events(${eventsAtOnce})`.execute(deps.db),
    ),
  ];
}

async function wake(deps: ConversationReconcileDeps, id: Found): Promise<void> {
  const { organizationId, conversationId } = id;
  const { row, active, isDecided } = await inOrganization(deps.db, organizationId, async (db) => {
    const held = await lockConversation(db, organizationId, conversationId);
    const reply = await activeReply(db, organizationId, conversationId);
    return {
      row: held,
      active: reply,
      isDecided: reply !== undefined && (await hasDecisions(db, reply)),
    };
  });
  if (row === undefined) return;
  if (active !== undefined && active.started_at !== null) {
    const state = await deps.processes.stateOf(conversationProcess.workflowId(conversationId));
    // A running process checks on its own when the turn is over, and may be waiting for a person until it is
    // notified of a decision.
    if (state === 'running' && !isDecided) return;
    // A new process would continue a turn that was terminated together with the old one.
    if (closes(conversationProcess, state))
      await failTurn(deps.db, { organizationId, conversationId, messageId: active.id }, 'terminated');
  }
  const start = await inOrganization(deps.db, organizationId, (db) => conversationStart(db, row));
  await deps.processes.wake(start, { name: wakeConversationSignal, args: [] });
}

/**
 * If its process was forcibly terminated, the turn ends too; if the process vanished, the turn continues in
 * another one.
 */
async function revive(deps: ConversationReconcileDeps, id: Found): Promise<void> {
  const { organizationId, conversationId } = id;
  const state = await deps.processes.stateOf(conversationProcess.workflowId(conversationId));
  if (state === 'running') return;
  await inOrganization(deps.db, organizationId, (db) =>
    updateConversation(db, organizationId, conversationId, { due_since: new Date() }),
  );
  await wake(deps, id);
  deps.logger.info({ ...id, state }, 'reconciled a conversation whose process was gone');
}
