import { expect, test } from 'vitest';
import { refuseEchoed } from '../../../../domain/intake/datasets/pages/echoed.ts';

const secret = 'a-"secret"-token-of-length';
const refused = (records: unknown[], secrets = [secret]) => {
  try {
    refuseEchoed(records, Buffer.from(JSON.stringify({ items: records })), secrets);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

test.each([
  [{ a: secret }, '/a'],
  [{ headers: { 'x/y~z': [`Bearer ${secret}`] } }, '/headers/x~1y~0z/0'],
  [{ said: `with ${secret} in it` }, '/said'],
])('a record that holds the secret is refused with its place: %j', (record, place) => {
  const message = refused([{ a: 'fine' }, record]);
  expect(message).toContain(`record 2 of the page, at ${place})`);
  expect(message).not.toContain(secret);
});

test('a short secret is one only where it is all of a text', () => {
  expect(refused([{ a: 'letmein' }], ['letmein'])).toContain('/a');
  expect(refused([{ a: 'Basic letmein' }], ['letmein'])).toContain('/a');
  expect(refused([{ a: 'please letmein now', letmein: 1 }], ['letmein'])).toBeUndefined();
  expect(refused([{ a: 1, b: null, c: ['x'] }])).toBeUndefined();
});
