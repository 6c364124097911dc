import { AppError, isRetryable } from '../../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type AppToolDeps, callOfferedTool } from '../app-connections/call.ts';
import { type OfferedTool, offeredTools } from '../app-connections/offered.ts';
import type { Conversation } from '../conversations/conversations.ts';
import { beginAttempt, endAttempt, type MessagePart, type NewPart } from '../conversations/messages.ts';

/**
 * Which tool of an app a call is of, as it was offered: kept with the call, and called as that or not at all.
 */
export type AppToolCall = Pick<OfferedTool, 'connectionId' | 'url' | 'tool' | 'fingerprint' | 'isReadOnly'>;

const nobodyDecides = {
  error: { code: 'denied', message: 'The tool needs the decision of a person, and a run has none.' },
};

interface AnsweredCalls {
  step: number;
  calls: readonly { toolCallId: string; name: string; input: unknown }[];
  /** What the model chose from. */
  offered: readonly OfferedTool[];
}

/**
 * The calls of an answer as parts of its reply: those that a person has to allow wait, or are denied in a
 * run. A tool is called as the model was told of it, and by the policy that holds now.
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
    // One that is not offered any more is refused where it is called.
    const policy = present.find((candidate) => candidate.name === name)?.policy ?? tool.policy;
    if (policy === 'allow') return ofApp;
    if (runId === null) return { ...ofApp, status: 'waiting_approval' };
    return {
      ...ofApp,
      status: 'denied',
      summary: nobodyDecides.error.message,
      output: JSON.stringify(nobodyDecides),
    };
  });
}

/**
 * Calls the tool of an app. One that may change something is called once: a second try tells that nobody
 * knows what became of the first.
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
      'An earlier try of this call was interrupted, and nobody knows whether it reached the tool: it is not called again.',
    );
  return callOfferedTool(deps, { ...called, organizationId, input, signal }).catch(async (error: unknown) => {
    // It did not get so far: another try may.
    if (error instanceof AppError && isRetryable(error))
      await inOrganization(deps.db, organizationId, (db) => endAttempt(db, part));
    throw error;
  });
}
