/**
 * A conversation's turn without the model's own time: a scripted model that answers at once, with one tool
 * call that runs a query. Then many concurrent conversations, streams that are cut, and idle readers.
 *
 *   MODEL_BASE_URL=http://127.0.0.1:18765/v1 MODEL_IDS=scripted npm start     (in another terminal)
 *   node bench/conversations.ts [turns] [conversations] [cuts] [idle readers]
 */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { openEvents, type StreamedEvent } from './conversation-stream.ts';
import { startInstantModel } from './model.ts';
import { openApi, quantile, readStack } from './workspace.ts';

const [turns = 100, conversations = 500, cuts = 1_000, readers = 1_000] = process.argv.slice(2).map(Number);
const withinMs = 30_000;
const stack = readStack();
const model = await startInstantModel(18_765, () => 'SELECT sum(amount) AS total FROM bench_sales');

interface Workspace {
  api: Awaited<ReturnType<typeof openApi>>;
  project: string;
}

async function openWorkspace(): Promise<Workspace> {
  const made = await provisionOrganization(
    { DATABASE_URL: stack.databaseUrl },
    { name: 'Bench of conversations' },
  );
  const api = await openApi({ ...stack, ...made });
  const { data: project } = await api.json<{ data: { id: string } }>('POST', '/v1/projects', {
    name: 'Bench',
  });
  const columns = [{ name: 'amount', data_type: 'INTEGER' }];
  const table = await api.json<{ data: { tableId: string } }>('POST', '/v1/grid/tables', {
    name: 'bench_sales',
    kind: 'data',
    columns,
  });
  const rows = Array.from({ length: 1_000 }, (_, index) => ({ s_id: index + 1, amount: index }));
  await api.call('POST', `/v1/tables/${table.data.tableId}/rows`, JSON.stringify({ rows }));
  await api.json('POST', `/v1/projects/${project.id}/catalog-entries`, { table_id: table.data.tableId });
  return { api, project: `/v1/projects/${project.id}` };
}

const begin = async ({ api, project }: Workspace): Promise<string> => {
  const { data } = await api.json<{ data: { id: string } }>('POST', `${project}/conversations`, {});
  return `${project}/conversations/${data.id}`;
};

interface Turn {
  acceptedMs: number;
  firstTextMs: number;
  wholeMs: number;
  reply: string;
}

/** Asks a question while the stream is open, and follows it to the end. */
async function takeTurn({ api }: Workspace, chat: string, question: string): Promise<Turn> {
  const events: StreamedEvent[] = [];
  let done: () => void;
  const finished = new Promise<void>((resolve) => {
    done = resolve;
  });
  const stream = openEvents(`${stack.apiUrl}${chat}/events`, api.authorization, (event) => {
    events.push(event);
    if (event.event === 'turn.finished') done();
  });
  await stream.opened;
  // A stream starts at the position at which it is opened, so it must be open first.
  await wait(5);
  const startMs = performance.now();
  const posted = await api.json<{ data: { messageId: string } }>('POST', `${chat}/messages`, {
    message: question,
  });
  const acceptedMs = performance.now() - startMs;
  await finished;
  stream.cut();
  const text = events.find(({ event }) => event === 'text.delta')!;
  return {
    acceptedMs,
    firstTextMs: text.atMs - model.firstTextAt.get(question)!,
    wholeMs: events.at(-1)!.atMs - startMs,
    reply: posted.data.messageId,
  };
}

const p50AndP99 = (values: readonly number[]) =>
  `p50 ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`;

function show(label: string, taken: readonly Turn[]): void {
  console.log(`${label}: ${taken.length} turns`);
  console.log(`  accepted           ${p50AndP99(taken.map(({ acceptedMs }) => acceptedMs))}`);
  console.log(`  first text after the model's ${p50AndP99(taken.map(({ firstTextMs }) => firstTextMs))}`);
  console.log(`  whole turn         ${p50AndP99(taken.map(({ wholeMs }) => wholeMs))}`);
}

const rssMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;

async function oneAfterTheOther(workspace: Workspace): Promise<void> {
  for (let index = 0; index < 5; index += 1)
    await takeTurn(workspace, await begin(workspace), `warm ${index}`);
  const taken: Turn[] = [];
  for (let index = 0; index < turns; index += 1)
    taken.push(await takeTurn(workspace, await begin(workspace), `question ${index}`));
  show('One after the other', taken);
}

async function manyAtOnce(workspace: Workspace): Promise<void> {
  const chats: string[] = [];
  for (let index = 0; index < conversations; index += 1) chats.push(await begin(workspace));
  const startMs = performance.now();
  const accepted: number[] = [];
  let peakMib = 0;
  const watching = setInterval(() => {
    peakMib = Math.max(peakMib, rssMib(stack.pids.worker));
  }, 200);
  const replies = await Promise.all(
    chats.map(async (chat, index) => {
      await wait((index * withinMs) / conversations);
      const postedMs = performance.now();
      const { data } = await workspace.api.json<{ data: { messageId: string } }>('POST', `${chat}/messages`, {
        message: `at once ${index}`,
      });
      accepted.push(performance.now() - postedMs);
      return `${chat}/messages/${data.messageId}`;
    }),
  );
  let lost = 0;
  for (const reply of replies) {
    const until = performance.now() + 120_000;
    for (;;) {
      const { data } = await workspace.api.json<{ data: { status: string } }>('GET', reply);
      if (data.status === 'complete') break;
      if (data.status === 'streaming' && performance.now() < until) await wait(100);
      else {
        lost += 1;
        break;
      }
    }
  }
  clearInterval(watching);
  console.log(
    `${conversations} conversations within ${withinMs / 1_000} s: ${lost} lost, accepted ${p50AndP99(accepted)}, all answered after ${((performance.now() - startMs) / 1_000).toFixed(1)} s, worker at most ${Math.round(peakMib)} MiB`,
  );
}

/** One conversation's events over a stream that is cut repeatedly while turns are in progress. */
async function manyCuts(workspace: Workspace): Promise<void> {
  const chat = await begin(workspace);
  let isOver = false;
  const talking = (async () => {
    for (let index = 0; !isOver; index += 1) {
      await workspace.api.json('POST', `${chat}/messages`, { message: `cut ${index}` });
      for (;;) {
        const { data } = await workspace.api.json<{ data: { activeTurn: unknown } }>('GET', chat);
        if (data.activeTurn === null) break;
        await wait(20);
      }
    }
  })();
  let last = 0;
  let lost = 0;
  let repeated = 0;
  for (let index = 0; index < cuts; index += 1) {
    const stream = openEvents(
      `${stack.apiUrl}${chat}/events?after=${last}`,
      workspace.api.authorization,
      ({ id }) => {
        if (id <= last) repeated += 1;
        else lost += id - last - 1;
        last = Math.max(last, id);
      },
    );
    await stream.opened;
    await wait(Math.random() * 60);
    stream.cut();
    await stream.ended;
  }
  isOver = true;
  await talking;
  console.log(`${cuts} cuts over ${last} events: ${lost} lost, ${repeated} repeated`);
}

async function manyReaders(): Promise<void> {
  const before = rssMib(stack.pids.api);
  const streams: ReturnType<typeof openEvents>[] = [];
  let workspace: Workspace | undefined;
  let chat = '';
  let heard = 0;
  for (let index = 0; index < readers; index += 1) {
    // A credential may have twenty streams.
    if (index % 20 === 0) {
      workspace = await openWorkspace();
      chat = await begin(workspace);
    }
    const stream = openEvents(`${stack.apiUrl}${chat}/events`, workspace!.api.authorization, () => {
      heard += 1;
    });
    streams.push(stream);
    await stream.opened;
  }
  const after = rssMib(stack.pids.api);
  const own = await openWorkspace();
  const beside = await takeTurn(own, await begin(own), 'beside readers');
  console.log(
    `${readers} idle readers: API ${Math.round(before)} → ${Math.round(after)} MiB, a turn beside them ${beside.wholeMs.toFixed(0)} ms, ${heard} events heard`,
  );
  for (const stream of streams) stream.cut();
}

const workspace = await openWorkspace();
if (turns > 0) await oneAfterTheOther(workspace);
if (conversations > 0) await manyAtOnce(workspace);
if (cuts > 0) await manyCuts(workspace);
if (readers > 0) await manyReaders();
await model.close();
