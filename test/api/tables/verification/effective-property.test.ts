import { expect, test } from 'vitest';
import { createRandom } from '../../../faults/random.ts';
import { verifying } from '../../../support/verification.ts';
import { useWorker } from '../../../support/worker.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

interface Effective {
  tableId: string;
  definitionId: string;
  enabled: boolean;
  severity: 'error' | 'warn';
  params: { min: number };
}

test.each([1, 2, 3])('a run does what the preview of the same tables says (seed %i)', async (seed) => {
  const random = createRandom(seed, 'effective set');
  const client = await workspace.organization();
  const on = verifying(client);
  const projects: string[] = [];
  for (const name of ['one', 'two']) projects.push((await on.must('POST', '/v1/projects', 201, { name })).id);
  const tables: { id: string; rows: number }[] = [];
  for (let n = 0; n < 5; n += 1) {
    const id = await on.data(`${random.pick(['sales', 'stock'])}_${n}`, { a: 'INTEGER' });
    const rows = random.int(0, 3);
    if (rows > 0)
      await on.append(
        id,
        Array.from({ length: rows }, (_, row) => ({ s_id: row, a: row })),
      );
    for (const project of projects)
      if (random.chance(0.4))
        await on.must('POST', `/v1/projects/${project}/catalog-entries`, 201, { table_id: id });
    const tier = random.pick(['raw', 'curated']);
    await on.must('PATCH', `/v1/tables/${id}/catalog`, 200, { modeling_tier: tier });
    tables.push({ id, rows });
  }
  const selectors = [
    {},
    { name_pattern: '^sales' },
    { modeling_tier: 'curated' },
    { project_id: projects[0], name_pattern: '[0-2]$' },
  ];
  const path = '/v1/verification-tests';
  for (let n = 0; n < 8; n += 1) {
    const target = random.chance(0.4)
      ? { table_id: random.pick(tables).id }
      : { selector: random.pick(selectors) };
    const { id } = await on.must('POST', `${path}/definitions`, 201, {
      ...{ name: `d${n}`, kind: 'row_count', params: { min: random.int(0, 3) }, target },
      ...{ enabled: random.chance(0.8), severity: random.pick(['error', 'warn']) },
    });
    for (let more = random.int(0, 3); more > 0; more -= 1)
      await on.overlay(id, {
        ...random.pick([{}, { table_id: random.pick(tables).id }, { project_id: random.pick(projects) }]),
        ...(random.chance(0.5) ? { enabled: random.chance(0.5) } : {}),
        ...(random.chance(0.5) ? { severity: random.pick(['error', 'warn']) } : {}),
        ...(random.chance(0.5) ? { params: { min: random.int(0, 3) } } : {}),
        priority: random.int(0, 2),
      });
  }
  const body = { table_ids: tables.map(({ id }) => id) };
  const { tests } = await on.must('POST', `${path}/effective-set/previews`, 200, body);
  const expected = (tests as Effective[])
    .filter(({ enabled }) => enabled)
    .map(({ tableId, definitionId, severity, params }) => {
      const passes = tables.find(({ id }) => id === tableId)!.rows >= params.min;
      return `${tableId} ${definitionId} ${passes ? 'passed' : severity === 'error' ? 'failed' : 'warned'}`;
    });
  const run = await on.verified(body);
  const results = run.results as { tableId: string; definitionId: string; status: string }[];
  expect(results.map((one) => `${one.tableId} ${one.definitionId} ${one.status}`).toSorted()).toEqual(
    expected.toSorted(),
  );
});
