import { z } from 'zod';
import { type Inside, path, Refusal } from '../inside.ts';
import { resultUri } from '../resources.ts';
import { defineTool, fields, type ToolAnswer, type ToolCall } from '../tool.ts';
import { waitFor } from '../wait.ts';

const maxCharts = 3;
const maxPicture = 500_000;

type Part =
  | { type: 'text'; text: string }
  | {
      type: 'tool_call';
      name: string;
      input: unknown;
      status: string;
      summary: string;
      resultId: string | null;
    }
  | { type: 'chart'; chartId: string; title: string }
  | { type: 'report'; reportId: string; title: string };

interface Reply {
  status: string;
  content: string;
  parts: Part[];
  error: unknown;
  dataVersions: unknown;
}

interface Asked {
  projectId: string;
  conversationId: string;
  messageId: string;
}

const justBegun: Reply = { status: 'streaming', content: '', parts: [], error: null, dataVersions: [] };
const hasEnded = ({ status }: Reply) => status !== 'streaming';

const progressOf = ({ parts }: Reply) => {
  const step = parts.findLast((part) => part.type === 'tool_call');
  return { done: parts.length, message: step === undefined ? 'thinking' : `${step.name} ${step.summary}` };
};

const details: Readonly<Record<string, string>> = {
  streaming: 'The reply is still being written. Wait for it with read_reply.',
  waiting_approval:
    'A person must first allow a tool in the conversation. Wait for the rest with read_reply.',
};

/** The reply when it has ended, or as far as it is: text, what was done for it, charts as pictures. */
async function replyOf(call: ToolCall, asked: Asked, seconds: number, known?: Reply): Promise<ToolAnswer> {
  const { projectId, conversationId, messageId } = asked;
  const at = path`/v1/projects/${projectId}/conversations/${conversationId}`;
  const look = async () => (await call.json('GET', `${at}${path`/messages/${messageId}`}`)).data as Reply;
  const reply = await waitFor(call, { seconds, look, hasEnded, progressOf, known });
  const { status, content, parts, error, dataVersions } = reply;
  const steps = parts.filter((part) => part.type === 'tool_call');
  const charts = parts.filter((part) => part.type === 'chart');
  const results = steps.flatMap(({ resultId }) => (resultId === null ? [] : [resultId]));
  const pictures = await Promise.all(
    charts.slice(0, maxCharts).map(({ chartId }) => picture(call, `${at}${path`/charts/${chartId}`}`)),
  );
  return {
    data: {
      conversationId,
      messageId,
      status,
      answer: content,
      ...(error === null ? {} : { error }),
      detail: details[status],
      steps: steps.map(({ name, input, status: ended, summary, resultId }) => {
        return { name, input, status: ended, summary, resultId };
      }),
      charts: charts.map(({ chartId, title }) => ({ chartId, title })),
      reports: parts
        .filter((part) => part.type === 'report')
        .map(({ reportId, title }) => ({ reportId, title })),
      versions: dataVersions,
    },
    also: [
      ...pictures.flat(),
      ...results.map((resultId) => ({
        type: 'resource_link' as const,
        uri: resultUri(projectId, conversationId, resultId),
        name: `Rows of ${resultId}`,
        mimeType: 'application/json',
      })),
    ],
  };
}

/** None for a chart that cannot be drawn, or is too large for a model. */
async function picture({ bytes }: Inside, at: string) {
  const image = await bytes(at, { query: { format: 'png' } }).catch((error: unknown) => {
    if (error instanceof Refusal) return undefined;
    throw error;
  });
  if (image === undefined || image.length > maxPicture) return [];
  return [{ type: 'image' as const, data: image.toString('base64'), mimeType: 'image/png' }];
}

const conversationId = z.string().min(1).max(255).describe('The `conversationId` of an answer.');

export const askAnalyst = defineTool({
  name: 'ask_analyst',
  title: 'Ask the analyst',
  description:
    "Asks the analyst of the workspace a question in plain language about the tables attached to a project. Returns its text, the SQL that it ran, the versions that it read, and its charts. A `conversation_id` continues a conversation. The reply isn't lost if the call ends early: get it with read_reply.",
  scope: 'agent:write',
  input: z.strictObject({
    project_id: fields.projectId,
    question: z.string().min(1).max(32_000),
    conversation_id: conversationId.optional(),
    model: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe('The id of a model of GET /v1/models. Optional: there is a default model.'),
    wait_seconds: fields.waitSeconds(),
    idempotency_key: fields.idempotencyKey,
  }),
  async run(input, call) {
    const { project_id: projectId, question, model, idempotency_key: key } = input;
    const keyed = (purpose: string) => (key === undefined ? undefined : `${key} ${purpose}`);
    const conversations = path`/v1/projects/${projectId}/conversations`;
    const begin = async () => {
      const body = { title: question.slice(0, 100) };
      const { data } = await call.json('POST', conversations, {
        body,
        idempotencyKey: keyed('conversation'),
      });
      return data.id as string;
    };
    const id = input.conversation_id ?? (await begin());
    // What would wait behind another reply is refused: nobody might read it.
    const body = { message: question, on_busy: 'reject', model };
    const at = `${conversations}${path`/${id}/messages`}`;
    const { data } = await call.json('POST', at, { body, idempotencyKey: keyed('message') });
    const asked = { projectId, conversationId: id, messageId: data.messageId };
    return replyOf(call, asked, input.wait_seconds, justBegun);
  },
});

export const readReply = defineTool({
  name: 'read_reply',
  title: 'Read a reply of the analyst',
  description: 'Returns a reply that ask_analyst started, with the work done for it. Can wait for its end.',
  scope: 'agent:read',
  input: z.strictObject({
    project_id: fields.projectId,
    conversation_id: conversationId,
    message_id: z.string().min(1).max(255).describe('The `messageId` of an answer.'),
    wait_seconds: fields.waitSeconds(),
  }),
  run: ({ project_id: projectId, conversation_id: id, message_id: messageId, wait_seconds: seconds }, call) =>
    replyOf(call, { projectId, conversationId: id, messageId }, seconds),
});
