import { AppError, isRetryable } from '../../../data/errors.ts';
import { actingAs } from '../../../data/postgres/acting.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { TurnInput } from '../../../workflows/analyst/conversation/contract.ts';
import { attachedTables } from '../../tables/catalog-entries/catalog-entries.ts';
import { findPinnedSnapshot } from '../../tables/lake-maintenance/pins.ts';
import { actAs, principalFor } from '../../workspace/organizations/rights.ts';
import type { AppToolDeps } from '../app-connections/call.ts';
import { appendEvents, type NewEvent } from '../conversations/events.ts';
import { lockTurn } from '../conversations/lifecycle.ts';
import { addParts, callOf, type MessagePart, partsOf, updatePart } from '../conversations/messages.ts';
import { actsForIn, askerOf, turnPin } from '../conversations/turns.ts';
import { partView } from '../conversations/views.ts';
import { addReads, readBy } from '../conversations/withheld.ts';
import { type AppToolCall, callApp } from './app-tools.ts';
import { showInRun } from './run-steps.ts';
import { readInput, unreadableInput } from './tool-input.ts';
import { tools } from './tools/index.ts';
import type { ToolAnswer, ToolCall, ToolDeps } from './tools/tool.ts';

const byName = new Map(tools.map((tool) => [tool.name, tool]));
/** Maximum size of one tool answer for a model. */
const maxOutputCharacters = 60_000;

type Ended = Pick<MessagePart, 'status' | 'summary'> & {
  output: unknown;
  answer?: ToolAnswer;
  /** Tables that the reply has read so far. */
  reads?: readonly string[];
};

/**
 * Makes a tool call and reports its result to the model, which also gets the call's faults, and to people. A
 * call that has ended, or whose turn has ended, is left unchanged.
 *
 * @throws what may pass by another try, unless `isLastTry`
 */
export async function callTool(
  deps: ToolDeps & AppToolDeps,
  turn: TurnInput,
  { partIndex, isLastTry, signal }: { partIndex: number; isLastTry: boolean; signal: AbortSignal },
): Promise<void> {
  const found = await find(deps.db, turn, partIndex);
  if (found === undefined) return;
  const startedMs = performance.now();
  const ended = await make(deps, found, signal).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason;
    if (isRetryable(error) && !isLastTry) throw error;
    return failed(error);
  });
  const reads = [...found.call.reads];
  await end(deps.db, turn, found.part, { ...ended, reads }, Math.round(performance.now() - startedMs));
}

/** Ends a call that none of its attempts ended. */
export async function failToolCall(db: Database, turn: TurnInput, partIndex: number): Promise<void> {
  const found = await find(db, turn, partIndex);
  if (found !== undefined)
    await end(db, turn, found.part, failed(new Error('The tool could not be called.')), null);
}

interface Found {
  part: MessagePart;
  input: unknown;
  app_tool: unknown;
  call: Omit<ToolCall, 'deps' | 'signal'>;
}

function find(db: Database, turn: TurnInput, partIndex: number): Promise<Found | undefined> {
  const { organizationId, conversationId, messageId } = turn;
  return inOrganization(db, organizationId, async (transaction) => {
    const held = await lockTurn(transaction, turn);
    if (held === undefined) return undefined;
    const { reply, conversation } = held;
    const parts = (await partsOf(transaction, organizationId, [messageId])).get(messageId) ?? [];
    const part = parts.find((candidate) => candidate.part_index === partIndex);
    if (part?.status !== 'running') return undefined;
    const callerId = await askerOf(transaction, held);
    const dataVersions = reply.data_versions;
    const pinned = new Set(dataVersions.map(({ tableId }) => tableId));
    const appTool = await callOf(transaction, part);
    const actsFor = await actsForIn(transaction, held);
    await actAs(transaction, organizationId, actsFor);
    const attached = await attachedTables(transaction, organizationId, conversation.project_id);
    const snapshotId = await findPinnedSnapshot(transaction, organizationId, turnPin(messageId));
    return {
      part,
      ...appTool,
      call: {
        organizationId,
        projectId: conversation.project_id,
        conversationId,
        messageId,
        partIndex,
        callerId,
        actsFor,
        atMs: reply.created_at.getTime(),
        // Tables that were attached when the turn began, still are, and are granted to the asker; views,
        // which are read at the turn's snapshot; and what was never built, so that the model learns it.
        tables: attached.filter(
          ({ id, kind, isUnbuilt }) =>
            pinned.has(id) || isUnbuilt || (kind === 'view' && snapshotId !== undefined),
        ),
        dataVersions,
        reads: new Set(readBy(reply)),
        snapshotId,
      },
    };
  });
}

async function make(
  deps: ToolDeps & AppToolDeps,
  { part, input: given, app_tool: appTool, call: context }: Found,
  signal: AbortSignal,
): Promise<Ended> {
  if (appTool !== null) {
    const { isError, ...ended } = await callApp(deps, part, appTool as AppToolCall, { input: given, signal });
    return { ...ended, status: isError ? 'failed' : 'done' };
  }
  const name = part.name ?? '';
  const tool = byName.get(name);
  if (tool === undefined) return failed(new AppError('invalid_request', `There is no tool ${name}.`));
  const read = readInput(given);
  if ('fault' in read) return failed(new AppError('invalid_request', unreadableInput(given, read.fault)));
  const input = tool.input.safeParse(read.input);
  if (!input.success) {
    const [issue] = input.error.issues;
    const place = issue?.path.join('.') ?? '';
    return failed(new AppError('invalid_request', `The input isn't valid: ${place} ${issue?.message ?? ''}`));
  }
  const { organizationId, actsFor } = context;
  const principalId = await inOrganization(deps.db, organizationId, (db) =>
    principalFor(db, organizationId, actsFor),
  );
  const answer = await actingAs({ principalId }, () => tool.run({ ...context, deps, signal }, input.data));
  return { status: 'done', summary: answer.summary, output: answer.output, answer };
}

/** An expected failure is reported as it is; for any other, only the fact. */
function failed(error: unknown): Ended {
  const known = error instanceof AppError ? error : undefined;
  const code = known?.code ?? 'internal_error';
  const message = known?.message ?? 'The tool failed because of an internal error.';
  return {
    status: 'failed',
    summary: `${code}: ${message}`.slice(0, 2_000),
    output: { error: { code, message } },
  };
}

function end(
  db: Database,
  turn: TurnInput,
  { step, ...part }: MessagePart,
  { status, summary, output, answer, reads = [] }: Ended,
  elapsedMs: number | null,
): Promise<void> {
  return inOrganization(db, turn.organizationId, async (transaction) => {
    const held = await lockTurn(transaction, turn);
    const present = (await partsOf(transaction, turn.organizationId, [turn.messageId])).get(turn.messageId);
    const isRunning =
      present?.find(({ part_index: index }) => index === part.part_index)?.status === 'running';
    if (held === undefined || !isRunning) return;
    await addReads(transaction, turn, reads);
    await answer?.record?.(transaction);
    const ended = await updatePart(transaction, part, {
      status,
      summary,
      output: bounded(JSON.stringify(output)),
      result_id: answer?.resultId ?? null,
      elapsed_ms: elapsedMs,
    });
    const messageId = turn.messageId;
    const events: NewEvent[] = [
      { event: 'tool.finished', data: { messageId, partIndex: ended.part_index, part: partView(ended) } },
    ];
    if (answer?.part !== undefined) {
      const [made] = await addParts(transaction, held.reply, [{ ...answer.part, step }]);
      events.push({
        event: `${answer.part.type}.created`,
        data: { messageId, partIndex: made!.part_index, part: partView(made!) },
      });
    }
    await appendEvents(transaction, held.conversation, events);
    await showInRun(transaction, held.conversation, messageId);
  });
}

/** An answer that is too long is cut, which makes it invalid JSON, and says so. */
function bounded(json: string): string {
  const storable = json.toWellFormed().replaceAll('\\u0000', '\\ufffd');
  if (storable.length <= maxOutputCharacters) return storable;
  return JSON.stringify({ cut: true, beginning: storable.slice(0, maxOutputCharacters).toWellFormed() });
}
