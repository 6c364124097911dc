import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../client.ts';
import type { Random } from '../random.ts';
import { type Operation, type Row, rowOf, rowsOf } from '../rows.ts';
import type { LoadContext } from './context.ts';

export type BatchMode = 'append' | 'upsert' | 'replace' | 'provider_snapshot';

export interface BatchWork {
  operation: Operation;
  mode: BatchMode;
  pages: number;
  random: Random;
  /** Called before the given page, or before the complete request if it is the number of pages. */
  meanwhile?: { before: number; act: () => Promise<void> };
}

/** What the client intends with the batch, and how the batch may then end. */
const intents = {
  complete: ['applied'],
  abort: ['aborted'],
  abandon: ['expired'],
  // Completed just as it expires, or aborted just as it is applied.
  late: ['applied', 'expired'],
  regret: ['applied', 'aborted'],
} as const;
type Intent = keyof typeof intents;

const ended = ['applied', 'failed', 'aborted', 'expired'];
const pollMs = 250;

/** One batch from opening to end; every unknown outcome is resolved by asking again. */
export async function runBatch(context: LoadContext, work: BatchWork): Promise<void> {
  const { client, journal, model } = context;
  const { operation, mode, random } = work;
  // All decisions are drawn first, so that they do not depend on the answers.
  const intent = random.pick<Intent>([
    ...Array<Intent>(13).fill('complete'),
    ...(['abort', 'abort', 'abandon', 'abandon', 'late', 'regret', 'regret'] as const),
  ]);
  const expires = random.int(1, 6);
  const order = random.shuffle(Array.from({ length: work.pages }, (_, index) => index + 1));
  const repeated = new Set(order.filter(() => random.chance(0.2)));
  const repeatsComplete = random.chance(0.2);
  const regretsAfterMs = random.int(0, 150);
  const openKey = random.chance(0.5) ? { idempotencyKey: `open-${operation.no}` } : {};
  const { generation } = context.sync;
  const isShort = intent === 'abandon' || intent === 'late';

  model.begin(operation);
  const at = `/v1/tables/${context.tables[operation.table]}/ingestion-batches`;
  const opened = await client.settle({
    kind: 'batch open',
    method: 'POST',
    path: at,
    body: {
      mode,
      client_batch_id: `batch-${operation.no}`,
      ...(isShort ? { expires_in_seconds: expires } : {}),
      ...(mode === 'provider_snapshot' ? { sync_id: context.sync.id } : {}),
    },
    ...openKey,
  });
  if (opened.outcome === 'unresolved') return;
  if (opened.outcome === 'refused') {
    model.refuse(operation);
    return journal.breach('unexpected', `batch ${operation.no} refused: ${described(opened.answer)}`);
  }
  const batchId = String(opened.answer.body.data?.['id']);
  const path = `${at}/${batchId}`;
  context.batches.set(batchId, { path, what: `operation ${operation.no}, ${mode}, meant to ${intent}` });

  let isRefused = false;
  for (const [index, page] of order.entries()) {
    if (work.meanwhile?.before === index) await work.meanwhile.act();
    for (let times = repeated.has(page) ? 2 : 1; times > 0 && !isRefused; times -= 1)
      isRefused = !(await stage(page));
  }
  if (work.meanwhile?.before === order.length) await work.meanwhile.act();
  const isCompleting = intent !== 'abort' && intent !== 'abandon' && !isRefused;
  if (isCompleting && (await complete()) && intent === 'regret') {
    await delay(regretsAfterMs, undefined, { signal: context.signal }).catch(() => {});
    await abort();
  }
  // A page refused for its generation leaves the batch open.
  if (intent === 'abort' || (isRefused && !isShort)) await abort();

  const batch = await untilEnded();
  if (batch === undefined) return;
  context.batches.delete(batchId);
  conclude(batch);
  if (batch['status'] === 'applied' && repeatsComplete) {
    await complete();
    await stage(1);
  }

  async function stage(page: number): Promise<boolean> {
    const records = recordsOf(work, page);
    const isSnapshot = mode === 'provider_snapshot';
    const settled = await client.settle(
      isSnapshot
        ? {
            kind: 'snapshot page',
            method: 'POST',
            path: `/v1/data-syncs/${context.sync.id}/snapshots/${batchId}/pages`,
            body: { page_number: page, records, sync_generation: generation },
          }
        : { kind: 'batch page', method: 'PUT', path: `${path}/pages/${page}`, body: { records } },
    );
    if (settled.outcome !== 'refused') return settled.outcome === 'acknowledged';
    expectCode(settled.answer, isShort ? 'batch_not_open' : undefined);
    return false;
  }

  /** True if the manifest was accepted. */
  async function complete(): Promise<boolean> {
    const body = {
      page_count: work.pages,
      ...(mode === 'provider_snapshot' ? { checkpoint: { operation: operation.no } } : {}),
    };
    const settled = await client.settle({
      kind: 'batch complete',
      method: 'POST',
      path: `${path}/complete`,
      body,
    });
    if (settled.outcome === 'refused') expectCode(settled.answer, isShort ? 'batch_not_open' : undefined);
    if (settled.outcome === 'acknowledged') context.moments.comes('completed');
    return settled.outcome === 'acknowledged';
  }

  async function abort(): Promise<void> {
    const settled = await client.settle({
      kind: 'batch abort',
      method: 'DELETE',
      path: `${path}?confirm=true`,
    });
    if (settled.outcome === 'refused')
      expectCode(settled.answer, intent === 'regret' ? 'batch_not_open' : undefined);
  }

  /** A refusal must be explained by the batch's own history. */
  function expectCode(answer: Answer, allowed: string | undefined): void {
    const { code } = answer.body;
    if (code === allowed || (mode === 'provider_snapshot' && code === 'generation_fenced')) return;
    // A batch to be aborted may just have ended because of its generation.
    if (mode === 'provider_snapshot' && code === 'batch_not_open') return;
    journal.breach('unexpected', `batch ${batchId} (${operation.no}, ${intent}): ${described(answer)}`);
  }

  async function untilEnded(): Promise<Record<string, unknown> | undefined> {
    while (!context.signal.aborted) {
      const settled = await client.settle({ kind: 'batch show', method: 'GET', path });
      if (settled.outcome === 'refused') {
        context.batches.delete(batchId);
        model.refuse(operation);
        journal.breach(
          'unexpected',
          `batch ${batchId} (${operation.no}) is lost: ${described(settled.answer)}`,
        );
        return undefined;
      }
      if (settled.outcome === 'acknowledged') {
        const data = settled.answer.body.data ?? {};
        if (ended.includes(String(data['status']))) return data;
      }
      await delay(pollMs, undefined, { signal: context.signal }).catch(() => {});
    }
    return undefined;
  }

  function conclude(batch: Record<string, unknown>): void {
    const status = String(batch['status']);
    const error = batch['error'] as { code?: string } | null;
    journal.count('batches', `${mode} ${status}${error?.code === undefined ? '' : ` (${error.code})`}`);
    if (status === 'applied') model.acknowledge(operation, Number(batch['tableVersion']));
    else model.refuse(operation);
    const isFenced = status === 'failed' && error?.code === 'generation_fenced';
    const isFree = mode === 'provider_snapshot' && (isFenced || status === 'aborted');
    if (!isFree && !(intents[intent] as readonly string[]).includes(status)) {
      journal.breach(
        'unexpected',
        `batch ${batchId} (${operation.no}, ${mode}, meant to ${intent}) ended ${status}: ${JSON.stringify(error)}`,
      );
    }
    const rows = Number(batch['rowsInserted']) + Number(batch['rowsUpdated']);
    if (status === 'applied' && rows !== operation.rows)
      journal.breach('miscounted', `batch ${batchId}: ${rows} of ${operation.rows} rows`);
  }
}

/** Every row is on one page; in an upsert, the first page also has a row that a later page overrides. */
function recordsOf({ operation, mode, pages }: BatchWork, page: number): Row[] {
  const pageOf = (index: number) => (index % pages) + 1;
  const own = rowsOf(operation).filter((_, index) => pageOf(index) === page);
  if (mode !== 'upsert' || page !== 1) return own;
  const stale = Array.from({ length: operation.rows }, (_, index) => index)
    .filter((index) => pageOf(index) !== 1 && index % 3 === 0)
    .map((index) => rowOf(operation, index + 1, 'stale'));
  return [...stale, ...own];
}

function described({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body).slice(0, 400)}`;
}
