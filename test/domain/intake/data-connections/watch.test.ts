import { expect, test } from 'vitest';
import { createSourceWatch } from '../../../../domain/intake/data-connections/sources/watch.ts';

const limits = { silenceMs: 1_000, firstSilenceMs: 10_000 };
const mebibyte = 1_048_576;

test('a row that does not end is told before it is all in memory; many rows may be as much', () => {
  const watch = createSourceWatch(limits);
  watch.listen();
  for (let count = 1; count <= 100; count += 1) {
    watch.row();
    expect(watch.fault(count * 16 * mebibyte, count)).toBeUndefined();
  }
  expect(watch.fault(1_632 * mebibyte, 101)).toBeUndefined();
  const fault = watch.fault(1_633 * mebibyte, 102);
  expect(fault).toMatchObject({ stage: 'request', message: expect.stringContaining('larger than 16 MiB') });
});

test('silence is told where something should come, and is long before the first row', () => {
  const watch = createSourceWatch(limits);
  expect(watch.fault(10, 0)).toBeUndefined();
  expect(watch.fault(10, 50_000)).toBeUndefined();
  watch.listen();
  expect(watch.fault(10, 60_000)).toBeUndefined();
  watch.row();
  expect(watch.fault(20, 60_001)).toBeUndefined();
  const inner = { pause: () => undefined, resume: () => undefined };
  const flow = watch.flow(inner);
  flow.pause();
  expect(watch.fault(20, 90_000)).toBeUndefined();
  flow.resume();
  expect(watch.fault(20, 91_000)).toBeUndefined();
  expect(watch.fault(20, 91_001)).toMatchObject({
    stage: 'connect',
    message: expect.stringContaining('nothing for 1 s'),
  });
  watch.rest();
  expect(watch.fault(20, 200_000)).toBeUndefined();
  watch.listen();
  expect(watch.fault(20, 201_000)).toBeUndefined();
});

test('before its first row a source may look at its table for longer', () => {
  const watch = createSourceWatch(limits);
  watch.listen();
  expect(watch.fault(10, 0)).toBeUndefined();
  expect(watch.fault(10, 10_000)).toBeUndefined();
  expect(watch.fault(10, 10_001)).toMatchObject({ stage: 'connect' });
});
