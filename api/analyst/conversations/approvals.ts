import { z } from 'zod';
import { inOrganization } from '../../../data/postgres/client.ts';
import {
  decideApproval,
  getApproval,
  listApprovals,
  type ShownApproval,
} from '../../../domain/analyst/conversations/approvals.ts';
import { lockNamed } from '../../../domain/analyst/conversations/conversations.ts';
import { wakeConversation } from '../../../domain/analyst/conversations/process.ts';
import { approvalView } from '../../../domain/analyst/conversations/views.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import type { Load } from '../../route.ts';
import { characters, nullableTimestamp, timestamp } from '../../schemas.ts';
import { conversationId, conversationPath, loadConversation } from './paths.ts';

const approvalSchema = z
  .object({
    id: z.string(),
    messageId: z.string().describe('The reply that is waiting for the approval.'),
    toolCallId: z.string(),
    name: z.string().describe('The name of the tool.'),
    input: z.unknown().describe('The input of the call.'),
    status: z.enum(['pending', 'allowed', 'denied', 'expired', 'cancelled']),
    note: z.string(),
    decidedByUserId: z.string().nullable(),
    createdAt: timestamp,
    expiresAt: timestamp.describe('When the approval expires. It is denied if nobody has decided by then.'),
    decidedAt: nullableTimestamp,
  })
  .meta({ id: 'Approval' });

const approvalExample: z.input<typeof approvalSchema> = {
  id: 'apv_01kahz3v6dfyvb1s8m3h9q2w4x',
  messageId: 'msg_01kahz3v6dfyvb1s8m3h9q2w4x',
  toolCallId: 'call_1',
  name: 'app_tickets_create',
  input: { title: 'Returns doubled in May' },
  status: 'pending',
  note: '',
  decidedByUserId: null,
  createdAt: '2026-11-21T08:30:00.000Z',
  expiresAt: '2026-11-22T08:30:00.000Z',
  decidedAt: null,
};

const decisionBody = z
  .strictObject({
    decision: z.enum(['allow', 'deny']),
    note: characters(0, 1_000).default('').describe('A note to the analyst, passed on with a denial.'),
  })
  .meta({ examples: [{ decision: 'allow' }] });

const approvalPath = `${conversationPath}/approvals/:approval_id` as const;

const loadApproval: Load<typeof approvalPath, ShownApproval> = async (db, organizationId, params) =>
  getApproval(db, await loadConversation(db, organizationId, params), params.approval_id);

/** Tool calls that wait for a person's approval. */
export function approvalsRoutes(app: Routes, deps: ApiDeps): void {
  const approvals = resource(app, deps, {
    tag: 'Conversations',
    path: approvalPath,
    schema: approvalSchema,
    example: approvalExample,
    load: loadApproval,
    parent: loadConversation,
    view: ({ approval, part }) => approvalView(approval, part),
  });

  approvals.list({
    summary: 'List the approvals of a conversation, newest first',
    rows: async (db, { organizationId, params }, slice) =>
      listApprovals(db, await loadConversation(db, organizationId, params), slice),
  });
  approvals.create({
    at: approvalPath,
    status: 200,
    summary: 'Decide on a call',
    operationId: 'decideApproval',
    audit: 'approval.decided',
    description:
      'If you allow the call, it is made. If you deny it, the analyst continues without it. Repeating the same decision has no effect. A different decision, or a decision after the deadline, gets 409.',
    body: decisionBody,
    exists: loadApproval,
    errors: ['conflict'],
    run: async ({ organizationId, params, body, caller, request }) => {
      const { conversation, decided } = await inOrganization(deps.db, organizationId, async (db) => {
        const held = await lockNamed(db, conversationId(organizationId, params));
        const decision = { ...body, decidedBy: caller.id };
        return { conversation: held, decided: await decideApproval(db, held, params.approval_id, decision) };
      });
      await wakeConversation(deps, conversation, memoOf(request));
      return decided;
    },
  });
}
