import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runKindNames } from '../../../../domain/workspace/runs/kinds.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
const domain = fileURLToPath(new URL('../../../../domain', import.meta.url));

test('the database allows exactly the kinds of the table', async () => {
  const { rows } = await workspace.deps.lake.catalogPool.query<{ definition: string }>(
    "SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'runs_kind_check'",
  );
  expect(rows).toHaveLength(1);
  const allowed = [...rows[0]!.definition.matchAll(/'(\w+)'/g)].map(([, kind]) => kind);
  expect(allowed.toSorted()).toEqual(runKindNames.toSorted());
});

test('each kind is defined by one feature', async () => {
  const modules = globSync('**/process.ts', { cwd: domain }).map((file) => import(join(domain, file)));
  const defined = (await Promise.all(modules))
    .flatMap((module: Record<string, unknown>) => Object.values(module))
    .flatMap((value) => (value as { kinds?: string[] }).kinds ?? []);
  expect(defined.toSorted()).toEqual(runKindNames.toSorted());
});
