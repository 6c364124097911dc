import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ran } from '../../generators/generate.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('the package is one file, which the Node of this machine runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'workspace-cli-package-'));
  try {
    const bundler = join(root, 'node_modules/rolldown/bin/cli.mjs');
    const main = join(root, 'clients/cli/src/main.ts');
    const built = join(folder, 'workspace.mjs');
    await ran(folder, 'node', [bundler, main, '--file', built, '--format', 'esm', '--platform', 'node']);
    expect(await ran(folder, 'node', [built, '--help'])).toContain('Usage: workspace');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
