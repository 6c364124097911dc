import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasCurl, runExample } from './run-example.ts';
import { useTour } from './tour.ts';

const { dataDir, forgetSecret, tour } = useTour();

/** Every other example is run in the long ring. */
describe.skipIf(!hasCurl)('the tour', () => {
  test('goes from a token to a join, and stops where something is in the way', async () => {
    const { code, stdout, stderr } = await tour();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('uploaded: 204');
    expect(stdout).toContain('"status":"succeeded"');
    expect(stdout).toMatch(/"city":"Lagos","orders":100000/);
    expect(stdout).toMatch(/"city":"Osaka","target":8000000,"total":/);

    const again = await tour();
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain('The tour ends here');
    expect(again.stdout).not.toContain('4. A question.');
  });

  test('says which stack it did not find', async () => {
    const { code, stderr } = await runExample(join(dataDir(), 'nowhere'), 'tour.sh');
    expect(code).toBe(1);
    expect(stderr).toContain(`No stack is running on ${join(dataDir(), 'nowhere')}`);
  });

  test('stops without a token', async () => {
    await forgetSecret();
    const { code, stdout, stderr } = await tour();
    expect(code).toBe(1);
    expect(stderr).toContain('invalid_client');
    expect(stdout).toBe('1. A token.\n');
  });
});
