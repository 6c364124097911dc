import {
  documentText,
  errorText,
  helpText,
  mainText,
  noteText,
  nothingAttached,
  type QueryResult,
  refusalText,
  remarks,
  resultText,
  selfDescription,
} from './answer.ts';
import {
  describedTables,
  joinedTables,
  type ResultSet,
  readChart,
  readResultSet,
  readTables,
  type Table,
} from './catalog.ts';
import { chartOf } from './chart.ts';
import { columnText, sampleText, tablesText, tableText } from './describe.ts';
import { escaped, sqlBlock } from './markdown.ts';
import { type Plan, planOf, tablesToDescribe } from './plan.ts';
import type { Conversation, ToolAnswer } from './prompt.ts';
import type { Draft, Question } from './question.ts';
import { pick, scopeOf } from './scope.ts';
import { sqlOf, tiesSql } from './sql.ts';
import { caveatsText, tiesText, titleOf } from './wording.ts';

export interface Call {
  tool: string;
  input: Record<string, unknown>;
}

/** The next step: tool calls, or the answer. */
export type Step =
  | { calls: Call[]; text?: undefined }
  | {
      calls?: undefined;
      text: string;
      /** The SQL that computed it, if it is not in the text. */
      sql?: string;
      /** The text explains why there is no answer. */
      isRefusal?: true;
    };

/** Each call is made at most once per question, so that every conversation reaches an answer. */
export function nextStep(conversation: Conversation): Step {
  const { messages, tools } = conversation;
  if (messages.length === 0) return { text: helpText([]) };
  const listed = answerOf(conversation, 'list_tables');
  if (listed === undefined) {
    if (tools.has('list_tables')) return { calls: [{ tool: 'list_tables', input: {} }] };
    return {
      text: `${selfDescription}\n\nI was not given the tools to look at tables, so I cannot answer from data here.`,
    };
  }
  const tables = readTables(listed.value);
  if (tables === undefined) return refused(`The tables could not be listed. ${failure(listed)}`);
  if (tables.length === 0) return { text: withoutTables(conversation) };
  return withTables(conversation, tables);
}

function withoutTables({ messages }: Conversation): string {
  const isHelp = planOf(messages, []).kind === 'help';
  return isHelp ? helpText([]) : nothingAttached;
}

const refused = (text: string): Step => ({ text, isRefusal: true });

function withTables(conversation: Conversation, listed: readonly Table[]): Step {
  const { messages, tools } = conversation;
  const described = answersOf(conversation, 'describe_table');
  if (described.length === 0) {
    const first = planOf(messages.slice(-1), listed);
    if (first.kind === 'help') return { text: helpText(listed) };
    if (first.kind === 'tables') return { text: [tablesText(listed), ...remarks(first.draft)].join('\n\n') };
    const names = tablesToDescribe(messages, listed);
    if (tools.has('describe_table') && names.length > 0)
      return { calls: names.map((table) => ({ tool: 'describe_table', input: { table } })) };
  }
  const known = describedTables(
    listed,
    described.map(({ value }) => value),
  );
  const failed = described.find(({ error }) => error !== undefined);
  const joins = answersOf(conversation, 'find_joins');
  const tables = joinedTables(
    known,
    joins.map(({ value }) => value),
  );
  const plan = planOf(messages, tables);
  if (plan.kind === 'refuse' && joins.length === 0 && tools.has('find_joins')) {
    const call = joinsCall(plan, tables);
    if (call !== undefined) return { calls: [call] };
  }
  if (failed !== undefined && plan.kind === 'describe' && plan.tables.some(({ isDescribed }) => !isDescribed))
    return refused(`A table could not be described. ${failure(failed)}`);
  if (plan.kind === 'refuse' && failed !== undefined)
    return refused(
      `A table could not be described. ${failure(failed)}\n\n${refusalText(plan.trouble, plan.draft, tables)}`,
    );
  return carryOut(plan, conversation, tables);
}

/** The most tables that find_joins compares. */
const maxJoined = 8;

/** If a question was understood and could not be answered, its tables may have a key of different names. */
export function joinsCall({ draft }: Plan, tables: readonly Table[]): Call | undefined {
  const names = tables.filter(({ isDescribed }) => isDescribed).map(({ name }) => name);
  if (draft.unknown.length > 0 || names.length < 2) return undefined;
  return { tool: 'find_joins', input: { tables: names.slice(0, maxJoined) } };
}

/** The next step of a plan, based on the tool answers so far. */
export function carryOut(plan: Plan, conversation: Conversation, tables: readonly Table[]): Step {
  switch (plan.kind) {
    case 'help':
      return { text: helpText(tables) };
    case 'tables':
      return { text: tablesText(tables) };
    case 'refuse':
      return refused(refusalText(plan.trouble, plan.draft, tables));
    case 'describe':
      return { text: [describedText(plan, tables), ...remarks(plan.draft)].join('\n\n') };
    case 'sample':
      return sampled(plan, conversation);
    case 'query':
      return queried(plan, conversation);
  }
}

function describedText(
  { draft, tables: named, reference }: Extract<Plan, { kind: 'describe' }>,
  tables: readonly Table[],
): string {
  if (reference === undefined) return named.map(tableText).join('\n\n');
  const base = named[0] ?? tables.find(({ name }) => name === reference.columns[0]?.column.table);
  if (base === undefined) return refusalText([`I found no column for “${reference.said}”.`], draft, tables);
  const { column, trouble } = pick(scopeOf(base, tables, draft.tables), reference, 'any');
  const table = tables.find(({ name }) => name === column?.table);
  if (column === undefined || table === undefined) return refusalText([trouble ?? ''], draft, tables);
  return table.isDescribed ? columnText(column, table) : tableText(table);
}

function sampled(
  { table, limit, draft }: Extract<Plan, { kind: 'sample' }>,
  conversation: Conversation,
): Step {
  const answer = answerOf(conversation, 'sample_rows');
  if (answer === undefined) {
    if (!conversation.tools.has('sample_rows')) return { text: cannotQuery() };
    return { calls: [{ tool: 'sample_rows', input: { table: table.name, limit } }] };
  }
  const result = readResultSet(answer.value);
  if (result === undefined) return refused(`The rows could not be read. ${failure(answer)}`);
  const notes = [...remarks(draft), ...caveatsText(result)];
  return { text: [sampleText(table.name, result), ...notes].join('\n\n') };
}

function queried(plan: Extract<Plan, { kind: 'query' }>, conversation: Conversation): Step {
  const { question, draft } = plan;
  const { tools } = conversation;
  const sql = sqlOf(question);
  const calls = queryCalls(question, sql);
  const answers = answersOf(conversation, 'run_sql');
  if (answers.length < calls.length) {
    if (!tools.has('run_sql')) return { text: `${cannotQuery()}\n\n${sqlBlock(sql)}` };
    return { calls: calls.slice(answers.length) };
  }
  const answer = answers.at(-1)!;
  if (answer.error !== undefined) return refused(errorText(answer.error, sql));
  const rows = readResultSet(answer.value);
  if (rows === undefined) return refused(`The result of the query could not be read.\n\n${sqlBlock(sql)}`);
  const result = { ...rows, tied: calls.length > 1 ? tiedOf(answers[0]!) : 0 };
  if (conversation.isUnattended) return documented(question, result, conversation, draft);
  const texts = [resultText(question, result, draft)];
  const chart = drawn(question, result, conversation, texts);
  if (chart !== undefined) return { calls: [chart] };
  const report = question.isReport ? reported(question, result, conversation, texts) : undefined;
  return report === undefined ? { text: texts.join('\n\n') } : { calls: [report] };
}

/** The query, last; before it that of its ties, if it may have some. */
function queryCalls(question: Question, sql: string): Call[] {
  const title = titleOf(question);
  const ties = tiesSql(question);
  const query = { tool: 'run_sql', input: { sql, title } };
  if (ties === undefined) return [query];
  return [{ tool: 'run_sql', input: { sql: ties, title: `Ties: ${title}` } }, query];
}

/** Undefined where they could not be counted. */
function tiedOf({ value }: ToolAnswer): number | undefined {
  const tied = Number(readResultSet(value)?.rows[0]?.[0] ?? Number.NaN);
  return Number.isNaN(tied) ? undefined : Math.max(tied, 0);
}

/** An answer for a document, with the chart embedded and the SQL kept separately. */
function documented(question: Question, result: QueryResult, conversation: Conversation, draft: Draft): Step {
  const texts: string[] = [];
  const call = drawn(question, result, conversation, texts);
  if (call !== undefined) return { calls: [call] };
  const chart = readChart(answerOf(conversation, 'draw_chart')?.value);
  const shown = chart === undefined ? texts : [`![${escaped(chart.title)}](chart:${chart.id})`];
  const notes = [...noteText(question, draft, result.tied), ...caveatsText(result)];
  return {
    text: [documentText(question, result), ...notes, ...shown].join('\n\n'),
    sql: sqlOf(question),
  };
}

/** The call that draws the chart; once it is answered, or if there is none, a sentence about it. */
function drawn(
  question: Question,
  result: ResultSet,
  conversation: Conversation,
  texts: string[],
): Call | undefined {
  const chart = chartOf(question, result);
  if (chart === undefined) return undefined;
  if (typeof chart === 'string') texts.push(chart);
  else {
    const answer = answerOf(conversation, 'draw_chart');
    if (answer === undefined && conversation.tools.has('draw_chart'))
      return { tool: 'draw_chart', input: { ...chart } };
    if (answer?.error !== undefined) texts.push(`The chart could not be drawn. ${failure(answer)}`);
    else if (answer !== undefined)
      texts.push(
        `I drew it as ${chart.kind === 'area' ? 'an' : 'a'} ${chart.kind} chart: “${escaped(chart.title)}”.`,
      );
    else if (question.chart !== undefined) texts.push('I was not given the tool to draw charts.');
  }
  return undefined;
}

function reported(
  question: Question,
  result: QueryResult,
  conversation: Conversation,
  texts: string[],
): Call | undefined {
  const title = titleOf(question);
  const answer = answerOf(conversation, 'write_report');
  if (answer === undefined && conversation.tools.has('write_report')) {
    const notes = [...tiesText(question, result.tied), ...question.notes.map((note) => escaped(note))].join(
      ' ',
    );
    const parts = [
      `# ${escaped(title)}`,
      mainText(question, result),
      notes,
      ...caveatsText(result),
      '## How it was computed',
      sqlBlock(sqlOf(question)),
    ];
    const content = parts.filter((part) => part !== '').join('\n\n');
    return { tool: 'write_report', input: { title, content } };
  }
  if (answer?.error !== undefined) texts.push(`The report could not be written. ${failure(answer)}`);
  else if (answer !== undefined) texts.push(`I wrote the report “${escaped(title)}”.`);
  else texts.push('I was not given the tool to write reports.');
  return undefined;
}

function cannotQuery(): string {
  return 'I was not given the tool to run queries, so I cannot compute this here.';
}

function failure({ error }: ToolAnswer): string {
  return error === undefined ? '' : `${escaped(error.code)}: ${escaped(error.message)}`;
}

function answersOf({ answers }: Conversation, tool: string): ToolAnswer[] {
  return answers.filter((answer) => answer.tool === tool);
}

function answerOf(conversation: Conversation, tool: string): ToolAnswer | undefined {
  return answersOf(conversation, tool).at(-1);
}
