import { expect, test } from 'vitest';
import { createOutgoing } from '../../../../data/outgoing/outgoing.ts';
import type { RequestGate } from '../../../../domain/intake/data-connections/request-gate.ts';
import type { SourceTarget } from '../../../../domain/intake/data-connections/sources/source.ts';
import { createPagesAhead } from '../../../../domain/intake/datasets/pages/ahead.ts';
import { type PageRequests, requestPage } from '../../../../domain/intake/datasets/pages/request.ts';
import { httpServer } from '../../../support/sources.ts';

test('an answer that comes too slowly is asked for twice, and not for ever', async () => {
  let asked = 0;
  const { base } = await httpServer((_request, response) => {
    asked += 1;
    const drip = setInterval(() => response.write(' '), 20);
    response.once('close', () => clearInterval(drip));
  });
  const outgoing = createOutgoing({ allowedPrivate: 'any' });
  const gate: RequestGate = {
    take: async () => ({ id: 'one', takenAt: 0, maxBytes: 1_000_000 }),
    renew: async () => undefined,
    release: async () => undefined,
  };
  const target = {
    config: { base_url: base },
    secrets: {},
    setting: () => undefined,
    policy: null,
    outgoing,
    gate,
    redaction: { text: (text: string) => text },
  } as unknown as SourceTarget;
  const requests: PageRequests = {
    target,
    signal: new AbortController().signal,
    deadline: Date.now() + 60_000,
    answerMs: 400,
    refusals: 0,
    onRequest: async () => undefined,
    ahead: createPagesAhead(async () => undefined),
    parse: async () => ({ broken: 'It never ends.' }),
  };
  await expect(requestPage(requests, new URL(base), [])).rejects.toMatchObject({
    stage: 'request',
    message: expect.stringContaining('longer than 0.4 s'),
  });
  expect(asked).toBe(2);
  await outgoing.close();
});
