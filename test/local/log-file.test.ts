import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { capLog, lastLines, openLog, rotateLog, watchLogs } from '../../local/log-file.ts';

/** Writes the next ten numbered lines to its stdout for each message, and confirms it. */
const writer = `let line = 0;
  process.on('message', () => {
    for (let count = 0; count < 10; count += 1) require('fs').writeSync(1, 'line ' + line++ + '\\n');
    process.send('written');
  });`;

describe('log files', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'workspace-logs-'));
    path = join(folder, 'api.log');
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });

  const linesOf = (name: string) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');

  it('are set aside while their part runs, which goes on at the start of the file', async () => {
    const log = openLog(path);
    const child = spawn(process.execPath, ['-e', writer], { stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    for (let round = 0; round < 6; round += 1) {
      child.send('write');
      await once(child, 'message');
      expect(capLog(path, 50)).toBe(true);
      expect(statSync(path).size).toBe(0);
    }
    child.send('write');
    await once(child, 'message');
    child.kill();
    const numbered = (from: number) => Array.from({ length: 10 }, (_, index) => `line ${from + index}`);
    expect(readdirSync(folder).sort()).toEqual(['api.log', 'api.log.1', 'api.log.2', 'api.log.3']);
    expect(linesOf('api.log')).toEqual(numbered(60));
    expect(linesOf('api.log.1')).toEqual(numbered(50));
    expect(linesOf('api.log.3')).toEqual(numbered(30));
    expect(statSync(`${path}.1`).mode & 0o777).toBe(0o600);
  });

  it('are left alone while they are small', () => {
    writeFileSync(path, 'short\n');
    expect(capLog(path, 50)).toBe(false);
    expect(capLog(join(folder, 'absent.log'), 50)).toBe(false);
    expect(readdirSync(folder)).toEqual(['api.log']);
  });

  it('are looked after as long as the stack runs', () => {
    vi.useFakeTimers();
    watchLogs([path], () => undefined);
    writeFileSync(path, Buffer.alloc(17 * 1024 * 1024, 'x'));
    vi.advanceTimersByTime(6_000);
    expect(statSync(path).size).toBe(0);
    expect(statSync(`${path}.1`).size).toBe(17 * 1024 * 1024);
  });

  it('of the last run are set aside at a start, and the end of one is quickly read', () => {
    writeFileSync(path, 'first run\n');
    rotateLog(path);
    writeFileSync(path, 'second run\n');
    rotateLog(path);
    expect([linesOf('api.log.1'), linesOf('api.log.2')]).toEqual([['second run'], ['first run']]);
    writeFileSync(path, `${'x\n'.repeat(100_000)}last but one\nlast\n`);
    expect(lastLines(path, 2)).toEqual(['last but one', 'last']);
  });
});
