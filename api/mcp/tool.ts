import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Scope } from '../caller.ts';
import { type Inside, Refusal } from './inside.ts';

/** What one answer may weigh, in characters of JSON: it goes into a model's context. */
export const maxAnswer = 100_000;

export interface ToolCall extends Inside {
  /** Reports the progress of a long call; nothing if it did not ask. */
  progress(done: number, total: number | undefined, message: string): Promise<void>;
}

type Content = CallToolResult['content'][number];

export interface ToolAnswer {
  /** Answered as structured content, and as JSON text for clients that read only text. */
  data: Record<string, unknown>;
  /** Pictures, and links to resources. */
  also?: Content[];
}

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  description: string;
  /** The scope that the token needs: that of its routes. */
  scope: Scope;
  /** Whether it removes or ends something. */
  destructive?: boolean;
  /** Whether it changes nothing; that of its scope if left out. */
  readOnly?: boolean;
  input: Input;
  run(input: z.output<Input>, call: ToolCall): Promise<ToolAnswer>;
}

export const defineTool = <const Input extends z.ZodObject>(tool: Tool<Input>): Tool =>
  tool as unknown as Tool;

/** Runs a tool: a route's refusal is an answer that a model can read, with its code and the request's id. */
export async function answerOf(
  { run }: Tool,
  input: Record<string, unknown>,
  call: ToolCall,
): Promise<CallToolResult> {
  try {
    const { data, also = [] } = await run(input, call);
    const text = JSON.stringify(data);
    if (text.length > maxAnswer) return failed({ detail: tooLong(text.length), code: 'answer_too_large' });
    return { content: [{ type: 'text', text }, ...also], structuredContent: data };
  } catch (error) {
    if (error instanceof Refusal) return failed(error.answer);
    if (call.signal.aborted) throw error;
    call.log.error({ err: error }, 'a tool failed');
    const detail = `Something went wrong. Quote request ${call.requestId} to the operator.`;
    return failed({ code: 'internal_error', detail, request_id: call.requestId });
  }
}

const tooLong = (length: number) =>
  `The answer has ${length} characters of JSON; the limit is ${maxAnswer}. Ask for less: fewer rows or columns, a smaller limit, or one thing at a time.`;

function failed(answer: Readonly<Record<string, unknown>>): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify(answer) }],
    structuredContent: { ...answer },
  };
}

/** Progress goes to the client that sent a token for it. */
export function progressOf({ mcpReq }: ServerContext): ToolCall['progress'] {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return async () => undefined;
  return async (progress, total, message) => {
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    await mcpReq.notify({ method: 'notifications/progress', params });
  };
}

/** A map of any names, in a form that models' providers take. */
export const mapOf = (value: z.ZodType) => z.object({}).catchall(value);

/** Fields that several tools take. */
export const fields = {
  projectId: z.string().min(1).max(255).describe('The id of a project, from list_projects.'),
  limit: (most: number, usual: number) =>
    z.int().min(1).max(most).default(usual).describe(`The number of items to return, up to ${most}.`),
  cursor: z.string().min(1).max(2_000).optional().describe('The `nextCursor` of the previous answer.'),
  offset: z.int().min(0).max(10_000_000).default(0).describe('The `nextOffset` of the previous answer.'),
  /** Less than the time that the official clients give an answer. */
  waitSeconds: (usual = 50) =>
    z
      .int()
      .min(0)
      .max(300)
      .default(usual)
      .describe(
        'How long the call waits for the end, in seconds. After that it returns the current state. Clients often give up after 60 seconds.',
      ),
  idempotencyKey: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A key of your own. Within 24 hours, the same call with the same key is done only once.'),
};
