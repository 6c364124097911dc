import { AppError, isRetryable } from '../../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type AppToolDeps, callOfferedTool } from '../app-connections/call.ts';
import { misfitOf } from '../app-connections/misfit.ts';
import { type OfferedTool, offeredTools } from '../app-connections/offered.ts';
import type { Conversation } from '../conversations/conversations.ts';
import { beginAttempt, endAttempt, type MessagePart, type NewPart } from '../conversations/messages.ts';
import { readInput, unreadableInput } from './tool-input.ts';

/**
 * The app tool of a call, as it was offered. Stored with the call, which is made only if the tool is
 * unchanged.
 */
export type AppToolCall = Pick<OfferedTool, 'connectionId' | 'url' | 'tool' | 'fingerprint' | 'isReadOnly'>;

const nobodyDecides = 'The tool needs the decision of a person, and nobody is present in a run.';

const problem = (code: 'denied' | 'invalid_request', message: string) => ({
  summary: message,
  output: JSON.stringify({ error: { code, message } }),
});

interface AnsweredCalls {
  step: number;
  calls: readonly { toolCallId: string; name: string; input: unknown }[];
  /** The tools offered to the model. */
  offered: readonly OfferedTool[];
}

/**
 * The calls of an answer as parts of its reply. Calls that need a person's approval wait, or are denied in a
 * run; input that does not fit goes back to the model before a person is asked. A call refers to the tool as
 * it was described to the model, with the policy currently in effect.
 */
export async function callParts(
  db: OrganizationTransaction,
  { organization_id: organizationId, run_id: runId }: Conversation,
  { step, calls, offered }: AnsweredCalls,
): Promise<NewPart[]> {
  const isOfApp = (name: string) => offered.some((tool) => tool.name === name);
  const present = calls.some(({ name }) => isOfApp(name)) ? await offeredTools(db, organizationId) : [];
  return calls.map(({ toolCallId, name, input }) => {
    const part: NewPart = {
      step,
      type: 'tool_call',
      tool_call_id: toolCallId,
      name,
      input: JSON.stringify(input),
      status: 'running',
    };
    const tool = offered.find((candidate) => candidate.name === name);
    if (tool === undefined) return part;
    const { connectionId, url, fingerprint, isReadOnly } = tool;
    const called: AppToolCall = { connectionId, url, tool: tool.tool, fingerprint, isReadOnly };
    const ofApp = { ...part, app_tool: JSON.stringify(called) };
    // A tool that is no longer offered is refused when it is called.
    const policy = present.find((candidate) => candidate.name === name)?.policy ?? tool.policy;
    const read = readInput(input);
    const misfit = 'fault' in read ? read.fault : misfitOf(read.input, tool.inputSchema);
    if (misfit !== undefined) {
      const message =
        'fault' in read
          ? unreadableInput(input, read.fault)
          : `The input doesn't match the tool's schema: ${misfit}`;
      return { ...ofApp, status: 'failed', ...problem('invalid_request', message) };
    }
    if (policy === 'allow') return ofApp;
    if (runId === null) return { ...ofApp, status: 'waiting_approval' };
    return { ...ofApp, status: 'denied', ...problem('denied', nobodyDecides) };
  });
}

/**
 * Calls an app's tool. A tool with possible side effects is called at most once: a second attempt reports
 * that the outcome of the first is unknown.
 */
export async function callApp(
  deps: AppToolDeps,
  part: MessagePart,
  { isReadOnly, ...called }: AppToolCall,
  { input, signal }: { input: unknown; signal: AbortSignal },
): ReturnType<typeof callOfferedTool> {
  const organizationId = part.organization_id;
  if (!isReadOnly && !(await inOrganization(deps.db, organizationId, (db) => beginAttempt(db, part))))
    throw new AppError(
      'conflict',
      "An earlier attempt of this call was interrupted, and it may have reached the tool. The service doesn't call the tool again.",
    );
  return callOfferedTool(deps, { ...called, organizationId, input, signal }).catch(async (error: unknown) => {
    // The call was not made, so another attempt may make it.
    if (error instanceof AppError && isRetryable(error))
      await inOrganization(deps.db, organizationId, (db) => endAttempt(db, part));
    throw error;
  });
}
