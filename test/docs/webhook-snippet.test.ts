import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sign } from '../../data/webhooks/signature.ts';

type IsSigned = (headers: Record<string, string>, body: string, secret: string, nowMs?: number) => boolean;

test('what the docs give to check a signature takes what is signed, and nothing else', async () => {
  const docs = readFileSync(new URL('../../docs/workflows.md', import.meta.url), 'utf8');
  const [, code] = /```js\n(.*?)```/s.exec(docs)!;
  const { isSigned } = (await import(`data:text/javascript,${encodeURIComponent(code!)}`)) as {
    isSigned: IsSigned;
  };
  const nowMs = 1_795_000_000_000;
  const at = String(nowMs / 1_000);
  const body = '{"total": 1.0}';
  const headers = { 'x-webhook-timestamp': at, 'x-webhook-signature': sign('secret', at, Buffer.from(body)) };
  expect(isSigned(headers, body, 'secret', nowMs)).toBe(true);
  expect(isSigned(headers, body, 'another', nowMs)).toBe(false);
  expect(isSigned(headers, `${body} `, 'secret', nowMs)).toBe(false);
  expect(isSigned(headers, body, 'secret', nowMs + 300_001)).toBe(false);
  expect(isSigned({}, body, 'secret', nowMs)).toBe(false);
});
