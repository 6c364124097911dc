import { type ModelReply, type ModelServer, startModelServer } from '../support/model-server.ts';
import type { Moments } from './moments.ts';
import { createRandom } from './random.ts';

export const scriptedModel = 'local/scripted';

/** Part of every question, and so of its answer: the conversation, the talker and the message's number. */
export function tagOf(text: string): string | undefined {
  return /q-\d+-\d+-\d+(-edited)?/.exec(text)?.[0];
}

/** The model's answer to a question; it depends only on the question, so that it can be checked. */
export interface ScriptedAnswer {
  /** Sent before the tools are called. */
  preface: string;
  /** Statements that are run before the answer, concurrently. */
  statements: readonly string[];
  text: string;
  /** Before each word. */
  delayMs: number;
}

const vocabulary = 'grain river copper lantern ☂ meadow naïve harbour cinder violet orchard thimble'.split(
  ' ',
);
const statements = [
  'SELECT count(*) AS rows FROM items',
  'SELECT op_no, count(*) AS rows FROM appends GROUP BY ALL ORDER BY op_no DESC LIMIT 20',
  // Takes a moment.
  'SELECT count(*) AS rows, max(hash(i.s_id, r.n)) AS most FROM items AS i, range(50000) AS r(n)',
];

export function answerTo(question: string): ScriptedAnswer {
  const tag = tagOf(question) ?? 'nothing';
  const random = createRandom(0, question);
  const text = Array.from({ length: random.int(6, 24) }, () => random.pick(vocabulary)).join(' ');
  return {
    preface: random.chance(0.4) ? `Let me look for ${tag}: ${random.pick(vocabulary)} first.` : '',
    statements: Array.from({ length: random.pick([0, 1, 1, 1, 1, 2, 3]) }, () => random.pick(statements)),
    text: `To ${tag}: ${text}. So much to ${tag}.`,
    delayMs: random.int(20, 90),
  };
}

/** The complete text of a finished reply, and the number of model requests for it. */
export function wholeReply(question: string): { content: string; calls: number; steps: number } {
  const { preface, statements: asked, text } = answerTo(question);
  const hasTools = asked.length > 0;
  return {
    content: hasTools && preface !== '' ? `${preface}\n\n${text}` : text,
    calls: asked.length,
    steps: hasTools ? 2 : 1,
  };
}

/** Tokens that the model counts for each answer. */
export const tokensEach = 10;

/** The provider of the stack under test. */
export function startTalkModel(moments: Moments): Promise<ModelServer> {
  return startModelServer((body): ModelReply => {
    const asked = body.messages.findLastIndex(({ role }) => role === 'user');
    const question = String(body.messages[asked]?.content ?? '');
    const isTold = body.messages.slice(asked).some(({ role }) => role === 'tool');
    // A long run makes thousands of requests.
    body.messages = [];
    moments.comes('answering');
    const { preface, statements: sqls, text, delayMs } = answerTo(question);
    const usage = { inputTokens: tokensEach, outputTokens: tokensEach };
    if (isTold || sqls.length === 0) return { text, delayMs, usage };
    const toolCalls = sqls.map((sql) => ({ name: 'run_sql', arguments: JSON.stringify({ sql }) }));
    const deltas = preface.split(' ').length + 3 * sqls.length;
    setTimeout(() => moments.comes('calling'), deltas * delayMs).unref();
    return { text: preface, toolCalls, delayMs, usage };
  });
}
