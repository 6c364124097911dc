import { expect, test } from 'vitest';
import { compareFlows, type SeenFlows } from './compare-flows.ts';
import type { StartedFlow } from './flows.ts';
import { createJournal, type Invariant, invariants } from './journal.ts';
import { flowFile, flowText, flowTitle } from './load/flow-lanes.ts';
import type { Data } from './talks.ts';

const flow: StartedFlow = { tag: 'f-1', id: 'wfr_1', isCancelAsked: false };
const delivery = (kind: string, more: Data = {}): Data => ({
  id: `dlv_${kind}`,
  kind,
  nodeId: kind,
  runId: 'wfr_1',
  status: 'delivered',
  ...more,
});

/** A successful run with its complete output. */
const whole: SeenFlows = {
  runs: [{ id: 'wfr_1', status: 'succeeded', error: null, steps: [{ status: 'succeeded' }] }],
  deliveries: ['file', 'email', 'webhook', 'slack'].map((kind) => delivery(kind)),
  reports: [{ title: flowTitle('f-1') }],
  files: [{ path: flowFile('f-1'), version: 1 }],
  mailIds: ['dlv_email@example.com'],
  posted: [
    { deliveryId: 'dlv_webhook', body: {} },
    { deliveryId: 'dlv_webhook', body: {} },
    { deliveryId: undefined, body: { text: flowText('f-1') } },
  ],
};

function breachesOf(seen: Partial<SeenFlows>, started: readonly StartedFlow[] = [flow]): Invariant[] {
  const journal = createJournal(() => {});
  compareFlows(journal, started, { ...whole, ...seen });
  return (Object.keys(invariants) as Invariant[]).filter((name) => journal.breaches(name).length > 0);
}

const [run] = whole.runs;
const without = (kind: string) => whole.deliveries.filter((one) => one.kind !== kind);

test('a whole run breaks nothing, nor does one whose start nobody was told of', () => {
  expect(breachesOf({})).toEqual([]);
  expect(breachesOf({}, [{ ...flow, id: undefined }])).toEqual([]);
});

test.each<[string, Partial<SeenFlows>, Invariant[]]>([
  ['a run that is lost', { runs: [], deliveries: [], reports: [], files: [] }, ['flowLost']],
  ['one of nobody', { runs: [run, { ...run, id: 'wfr_2' }] }, ['flowDoubled', 'flowOutput']],
  ['a failure', { runs: [{ ...run, status: 'failed', error: { code: 'query_failed' } }] }, ['flowEnd']],
  ['a cancel of nobody', { runs: [{ ...run, status: 'cancelled' }] }, ['flowEnd']],
  ['a step under way', { runs: [{ ...run, steps: [{ status: 'running' }] }] }, ['flowEnd']],
  ['two reports', { reports: [...whole.reports, ...whole.reports] }, ['flowOutput']],
  ['no file', { files: [] }, ['flowOutput']],
  ['a file written twice', { files: [{ path: flowFile('f-1'), version: 2 }] }, ['flowOutput']],
  ['a delivery too few', { deliveries: without('slack') }, ['flowOutput']],
  ['a node that delivers twice', { deliveries: [...whole.deliveries, delivery('slack')] }, ['flowOutput']],
  ['a mail twice', { mailIds: [...whole.mailIds, ...whole.mailIds] }, ['flowDelivery']],
  ['a mail that is not there', { mailIds: [] }, ['flowDelivery']],
  ['a webhook that never came', { posted: whole.posted.slice(2) }, ['flowDelivery']],
  ['a message twice', { posted: [...whole.posted, whole.posted[2]!] }, ['flowDelivery']],
])('%s is seen', (_what, seen, expected) => {
  expect(breachesOf(seen)).toEqual(expected);
});

test('a mail that is uncertain may be there or not, and its run failed for that', () => {
  const uncertain = {
    runs: [{ ...run, status: 'failed', error: { code: 'delivery_uncertain' } }],
    deliveries: [...without('email'), delivery('email', { status: 'uncertain' })],
  };
  expect(breachesOf(uncertain)).toEqual([]);
  expect(breachesOf({ ...uncertain, mailIds: [] })).toEqual([]);
});
