import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keptWorkflowBundle } from '../../worker/workflow-bundle.ts';
import { quietRuntime } from '../support/temporal.ts';

describe('the bundle of workflows', () => {
  let folder: string;
  beforeAll(async () => {
    quietRuntime();
    folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is made once, and replaces those of other sources', async () => {
    await writeFile(join(folder, 'outdated.js'), '');
    const file = await keptWorkflowBundle([folder]);
    expect(await readFile(file, 'utf8')).toContain('scheduleRun');
    expect(await readdir(folder)).toEqual([file.slice(folder.length + 1)]);
    const { mtimeMs } = await stat(file);
    expect(await keptWorkflowBundle([folder])).toBe(file);
    expect((await stat(file)).mtimeMs).toBe(mtimeMs);
  });

  it('is kept in the next folder if one cannot be written', async () => {
    const noFolder = join(folder, 'file');
    await writeFile(noFolder, '');
    const file = await keptWorkflowBundle([join(noFolder, 'bundles'), folder]);
    expect(file.startsWith(folder)).toBe(true);
  });
});
