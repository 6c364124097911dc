import { setImmediate } from 'node:timers/promises';
import { nothingAttached, selfDescription } from './answer.ts';
import { describedTables, joinedTables, readTables, type Table } from './catalog.ts';
import { escaped, sqlBlock } from './markdown.ts';
import { type Plan, planOf, readerOf, tablesToDescribe } from './plan.ts';
import type { Conversation, ToolAnswer } from './prompt.ts';
import { type Call, carryOut, joinsCall, type Step } from './steps.ts';

/** A piece of a document's instructions: text kept as it is, or a question that is replaced by its answer. */
export type Block = { kind: 'heading' | 'text'; text: string } | { kind: 'question'; text: string };

const maxQuestions = 60;
/** Maximum number of calls in one step. */
const callsAtOnce = 8;
/** Number of earlier questions under the same heading that may give a question its subject. */
const maxEarlier = 10;

/**
 * Reads a document's instructions: list items are questions under their headings, and paragraphs are kept.
 * Without a list, each paragraph is a question.
 */
export function readDocument(instructions: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'text', text: paragraph.join('\n') });
    paragraph = [];
  };
  for (const line of instructions.split(/\r?\n/)) {
    const text = line.trim();
    const marker = /^(?:[-*+]|\d{1,9}[.)])[ \t]/.exec(text)?.[0];
    const item = marker === undefined ? undefined : text.slice(marker.length).trim();
    const isHeading = /^#{1,6} /.test(text);
    if (text === '' || item !== undefined || isHeading) endParagraph();
    if (item !== undefined) blocks.push({ kind: 'question', text: item });
    else if (isHeading) blocks.push({ kind: 'heading', text });
    else if (text !== '') paragraph.push(text);
  }
  endParagraph();
  if (blocks.some(({ kind }) => kind === 'question')) return blocks;
  return blocks.map((block) => (block.kind === 'text' ? { kind: 'question', text: block.text } : block));
}

/** A question with the earlier ones that it may continue. */
interface Asked {
  messages: string[];
  text: string;
}

function questionsOf(blocks: readonly Block[]): Asked[] {
  const asked: Asked[] = [];
  let before: string[] = [];
  for (const { kind, text } of blocks) {
    if (kind === 'heading') before = [];
    if (kind !== 'question') continue;
    before = [...before, text].slice(-1 - maxEarlier);
    asked.push({ messages: before, text });
  }
  return asked;
}

/**
 * The next step of a document: some of the calls that its questions need, and finally the complete text.
 * Answering all questions takes seconds, so the process yields between two of them to other work and its
 * heartbeats.
 */
export async function nextDocumentStep(conversation: Conversation): Promise<Step> {
  const blocks = readDocument(conversation.messages.at(-1) ?? '');
  const questions = questionsOf(blocks);
  if (questions.length === 0)
    return asking(`${selfDescription} The instructions contain no question that I can answer.`);
  if (questions.length > maxQuestions)
    return asking(
      `The instructions contain ${questions.length} questions; I answer at most ${maxQuestions}.`,
    );
  const answers = queues(conversation.answers);
  const listed = answers('list_tables').at(0);
  if (listed === undefined) return { calls: [{ tool: 'list_tables', input: {} }] };
  const tables = readTables(listed.value);
  if (tables === undefined) return asking('The tables of the project could not be listed.');
  if (tables.length === 0) return asking(nothingAttached);
  const described = answers('describe_table');
  const names = await toDescribe(questions, tables);
  if (described.length < names.length)
    return { calls: names.slice(described.length).slice(0, callsAtOnce).map(describeCall) };
  const joins = answers('find_joins');
  const known = joinedTables(
    describedTables(
      tables,
      described.map(({ value }) => value),
    ),
    joins.map(({ value }) => value),
  );
  const read = readerOf(known);
  const steps: { question: Asked; step: Step }[] = [];
  for (const question of questions) {
    await setImmediate();
    const plan = planOf(question.messages, known, read);
    const mayJoin = plan.kind === 'refuse' && joins.length === 0 && conversation.tools.has('find_joins');
    const call = mayJoin ? joinsCall(plan, known) : undefined;
    if (call !== undefined) return { calls: [call] };
    steps.push({ question, step: answered(conversation, plan, known, answers) });
  }
  const refused = steps.find(({ step }) => step.calls === undefined && step.isRefusal === true);
  if (refused !== undefined) return asking(`“${refused.question.text}”: ${refused.step.text}`);
  const calls = steps.flatMap(({ step }) => step.calls ?? []);
  if (calls.length > 0) return { calls: calls.slice(0, callsAtOnce) };
  return {
    text: documentOf(
      blocks,
      steps.map(({ step }) => step as Answered),
    ),
  };
}

type Answered = Extract<Step, { text: string }>;

const describeCall = (table: string): Call => ({ tool: 'describe_table', input: { table } });

async function toDescribe(questions: readonly Asked[], tables: readonly Table[]): Promise<string[]> {
  const read = readerOf(tables);
  const names = new Set<string>();
  for (const { messages } of questions) {
    await setImmediate();
    for (const name of tablesToDescribe(messages, tables, read)) names.add(name);
  }
  return [...names];
}

/** Answers by tool, in the order of their calls. */
function queues(answers: readonly ToolAnswer[]): (tool: string) => ToolAnswer[] {
  const byTool = new Map<string, ToolAnswer[]>();
  for (const answer of answers) byTool.set(answer.tool, [...(byTool.get(answer.tool) ?? []), answer]);
  return (tool) => byTool.get(tool) ?? [];
}

/**
 * The progress of one question. Questions make their calls in order, and the answers of each tool are in the
 * same order, so a question takes the next remaining ones.
 */
function answered(
  conversation: Conversation,
  plan: Plan,
  tables: readonly Table[],
  answers: (tool: string) => ToolAnswer[],
): Step {
  const own: ToolAnswer[] = [];
  for (;;) {
    const step = carryOut(plan, { ...conversation, answers: own }, tables);
    if (step.calls === undefined) return step;
    const next = step.calls.map(({ tool }) => answers(tool).shift()).filter((answer) => answer !== undefined);
    if (next.length === 0) return step;
    own.push(...next);
  }
}

/** Ends the run with a question, because no person is there to answer it. */
function asking(question: string): Step {
  return { calls: [{ tool: 'ask_person', input: { question: question.slice(0, 2_000) } }] };
}

function documentOf(blocks: readonly Block[], answers: readonly Answered[]): string {
  const left = [...answers];
  const parts: string[] = [];
  const computed: string[] = [];
  for (const { kind, text } of blocks) {
    if (kind !== 'question') {
      parts.push(text);
      continue;
    }
    const answer = left.shift()!;
    parts.push(`**${escaped(text)}**`, answer.text);
    if (answer.sql !== undefined) computed.push(`${escaped(text)}:`, sqlBlock(answer.sql));
  }
  if (computed.length > 0) parts.push('## How it was computed', ...computed);
  return parts.join('\n\n');
}
