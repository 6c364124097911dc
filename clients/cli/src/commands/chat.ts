import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { ask, type ConversationEvent } from '../../../typescript/src/index.ts';
import { type Context, contextOf } from '../context.ts';
import { exitCodes, explained, Failure } from '../failure.ts';
import { plain } from '../output.ts';

interface ChatOptions {
  conversation?: string;
  model?: string;
}

const help =
  'Ask in plain language. Ctrl-C or /hold stops the reply and pauses the queue, /resume continues, /quit exits.';

export function chatCommand(program: Command): void {
  program
    .command('chat')
    .description('ask the analyst one question, or have a conversation')
    .argument('[question]', 'question to ask; without it, a conversation starts')
    .option('--conversation <id>', 'continue a conversation')
    .option('--model <id>', 'model to use')
    .action(async (question: string | undefined, options: ChatOptions, command: Command) => {
      const context = await contextOf(command);
      const projectId = await context.project();
      const talk: Talk = { context, projectId, conversationId: options.conversation, model: options.model };
      if (question !== undefined) {
        const reply = await answered(talk, question);
        if (reply.status === 'error') throw new Failure(plain(reply.error?.message));
        if (reply.status === 'cancelled') throw new Failure('The reply was stopped.', exitCodes.interrupted);
        return;
      }
      await converse(talk);
    });
}

interface Talk {
  context: Context;
  projectId: string;
  conversationId: string | undefined;
  model: string | undefined;
  /** The reply that is being written to this program. */
  replyId?: string | undefined;
}

async function converse(talk: Talk): Promise<void> {
  const { output } = talk.context;
  output.hint(output.dim(help));
  const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' });
  // What comes from a pipe may be over before its first line is answered.
  let isOver = false;
  lines.on('close', () => {
    isOver = true;
  });
  lines.on('SIGINT', () => (talk.replyId === undefined ? lines.close() : stop(talk)));
  const prompt = () => {
    if (!isOver) lines.prompt();
  };
  /** Questions are answered one after the other, while further lines are read. */
  let answers: Promise<unknown> = Promise.resolve();
  prompt();
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (text === '/quit') break;
      if (text === '/hold') await stop(talk);
      else if (text === '/resume') await resume(talk);
      else if (text.startsWith('/')) output.hint(help);
      else if (text !== '')
        answers = answers
          .then(() => answered(talk, text))
          .then(({ status, error }) => status === 'error' && output.hint(plain(error?.message)))
          .catch((error: unknown) => output.hint(explained(error).message))
          .then(prompt);
      if (text === '' || text.startsWith('/')) prompt();
    }
    await answers;
  } finally {
    lines.close();
  }
}

/** Asks, and prints the reply as it is written: text on stdout, what is done for it on stderr. */
async function answered(talk: Talk, question: string) {
  const { context, projectId, conversationId, model } = talk;
  const { workspace, output } = context;
  const isStreamed = !output.json;
  let isLineOpen = false;
  const shown = new Map<number, string>();
  const onEvent = (event: ConversationEvent) => {
    if (!isStreamed) return;
    if (event.event === 'text.delta') {
      const text = event.data.text.replaceAll(/[^\P{Cc}\n\t]/gu, '');
      shown.set(event.data.partIndex, (shown.get(event.data.partIndex) ?? '') + text);
      process.stdout.write(text);
      isLineOpen = !text.endsWith('\n');
    } else if (event.event === 'part.retracted' && shown.has(event.data.partIndex)) {
      output.hint(output.dim('\n(starting again)'));
      shown.delete(event.data.partIndex);
    } else if (event.event === 'tool.finished' && event.data.part.type === 'tool_call') {
      const { name, summary, input } = event.data.part;
      const sql = (input as { sql?: string } | null)?.sql;
      output.hint(
        output.dim(`· ${plain(name)}: ${plain(summary)}${sql === undefined ? '' : ` ${plain(sql)}`}`),
      );
    }
  };
  // The first Ctrl-C stops the reply; a second one ends the program.
  const stopReply = () => void stop(talk);
  process.once('SIGINT', stopReply);
  const onBegun = (begun: { conversationId: string; replyId?: string }) => Object.assign(talk, begun);
  const { reply, conversationId: id } = await ask(workspace, projectId, question, {
    onEvent,
    onBegun,
    conversationId,
    model,
  }).finally(() => {
    talk.replyId = undefined;
    process.off('SIGINT', stopReply);
  });
  talk.conversationId = id;
  if (output.json) output.show(reply, () => '');
  else if (isLineOpen) process.stdout.write('\n');
  for (const part of reply.parts) if (part.type === 'chart' && isStreamed) await showChart(talk, part);
  return reply;
}

/** A picture where the terminal draws them, else how to get it. */
async function showChart(
  { context, projectId, conversationId }: Talk,
  chart: { chartId: string; title: string },
) {
  const { workspace, output } = context;
  const path = `/v1/projects/${projectId}/conversations/${conversationId}/charts/${chart.chartId}`;
  const { TERM_PROGRAM: program, KITTY_WINDOW_ID: kitty, TERM: term } = process.env;
  const isTerminal = process.stdout.isTTY === true;
  const isItsOwn = program === 'iTerm.app' || program === 'WezTerm';
  const isKitty = kitty !== undefined || term === 'xterm-kitty' || program === 'ghostty';
  if (!isTerminal || (!isItsOwn && !isKitty))
    return output.hint(`Chart “${plain(chart.title)}”: ${workspace.baseUrl}${path}`);
  const response = await workspace.send(`${path}?format=png`);
  if (!response.ok) return output.hint(`The chart “${plain(chart.title)}” can't be shown.`);
  const png = Buffer.from(await response.arrayBuffer()).toString('base64');
  if (isItsOwn) process.stdout.write(`\u001b]1337;File=inline=1:${png}\u0007\n`);
  else process.stdout.write(`${kittyPicture(png)}\n`);
}

/** The protocol takes pieces of 4,096 characters. */
function kittyPicture(png: string): string {
  const pieces = png.match(/.{1,4096}/g) ?? [];
  return pieces
    .map((piece, at) => {
      const more = at < pieces.length - 1 ? 1 : 0;
      return `\u001b_G${at === 0 ? 'a=T,f=100,' : ''}m=${more};${piece}\u001b\\`;
    })
    .join('');
}

/** Stops the reply to this program; what waits behind it is held. */
async function stop({ context, projectId, conversationId, replyId }: Talk): Promise<void> {
  const { workspace, output } = context;
  if (conversationId === undefined || replyId === undefined) return;
  const path = { project_id: projectId, chat_id: conversationId, message_id: replyId };
  await workspace
    .post('/v1/projects/{project_id}/conversations/{chat_id}/messages/{message_id}/cancel', {
      params: { path, query: { confirm: 'true' } },
    })
    .catch((error: unknown) => output.hint(explained(error).message));
}

async function resume({ context, projectId, conversationId }: Talk): Promise<void> {
  const { workspace, output } = context;
  if (conversationId === undefined) return;
  const path = { project_id: projectId, chat_id: conversationId };
  await workspace
    .post('/v1/projects/{project_id}/conversations/{chat_id}/queue/resume', { params: { path } })
    .catch((error: unknown) => output.hint(explained(error).message));
}
