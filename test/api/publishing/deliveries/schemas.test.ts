import { expect, test } from 'vitest';
import {
  deliveryExample,
  deliverySchema,
  deliveryView,
} from '../../../../api/publishing/deliveries/schemas.ts';
import { type Delivery, deliveryStates } from '../../../../domain/publishing/deliveries/deliveries.ts';

const row: Delivery = {
  organization_id: 'org_1',
  id: 'dlv_1',
  project_id: 'prj_1',
  workflow_id: null,
  workflow_run_id: null,
  node_id: null,
  retried_at: null,
  schedule_run_id: 'srn_1',
  kind: 'email',
  target: 'ada@example.com',
  content: { subject: 'Not shown', text: 'Not shown', attachments: [] },
  status: 'pending',
  attempts: 2,
  attempt_id: 'not shown',
  receipt: null,
  error: { code: 'mail_refused', message: '451 Later' },
  created_at: new Date('2026-11-21T08:31:00Z'),
  delivered_at: null,
};

test('a delivery is shown by the names of the interface, and nothing of its content', () => {
  expect(deliveryView(row)).toEqual({
    id: 'dlv_1',
    runId: null,
    nodeId: null,
    kind: 'email',
    target: 'ada@example.com',
    status: 'pending',
    attempts: 2,
    receipt: null,
    error: { code: 'mail_refused', message: '451 Later' },
    createdAt: '2026-11-21T08:31:00.000Z',
    deliveredAt: null,
  });
  expect(deliveryView(row, { runId: 'run_1', nodeId: 'n1' })).toMatchObject({ runId: 'run_1', nodeId: 'n1' });
});

test("a webhook's address is shown without its query and without who signs in by it", () => {
  const target = 'https://user:pass@hooks.example.com:8443/in?token=a-secret-token#a';
  expect(deliveryView({ ...row, kind: 'webhook', target }).target).toBe('https://hooks.example.com:8443/in');
});

test('every state that a row may have is one that the interface has', () => {
  expect(deliverySchema.parse(deliveryExample)).toEqual(deliveryExample);
  for (const status of Object.keys(deliveryStates.transitions) as Delivery['status'][]) {
    const shown = deliverySchema.parse(deliveryView({ ...row, status }));
    expect(shown.status).toBe(status === 'sending' ? 'pending' : status);
  }
});
