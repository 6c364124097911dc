import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = new URL('../../../data/zone-rules/use.ts', import.meta.url);
const code = `await import('${program}'); console.log(process.pid, process.versions.tz, process.argv[1]);`;

function run(environment: NodeJS.ProcessEnv) {
  const { ICU_TIMEZONE_FILES_DIR: _, ...others } = process.env;
  const args = ['--input-type=module', '-e', code, 'one'];
  const running = promisify(execFile)(process.execPath, args, { env: { ...others, ...environment } });
  return running.then(({ stdout }) => ({ pid: running.child.pid, stdout }));
}

test('a program that was started without the rules starts again with them, as the same process', async () => {
  const { pid, stdout } = await run({});
  expect(stdout).toBe(`${pid} ${process.versions.tz} one\n`);
});

test('a folder without rules, or with a file that is none, ends the start with words', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zone-rules-'));
  await expect(run({ ICU_TIMEZONE_FILES_DIR: folder })).rejects.toThrow('no such file');
  writeFileSync(join(folder, 'zoneinfo64.res'), 'nothing');
  await expect(run({ ICU_TIMEZONE_FILES_DIR: folder })).rejects.toThrow(`those of ${folder}/zoneinfo64.res`);
});
