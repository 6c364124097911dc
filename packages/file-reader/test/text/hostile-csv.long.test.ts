import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Lab, mapping, openLab } from '../lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

test('bad records of megabytes are all quarantined, though not held at once', async () => {
  const bad = Array.from({ length: 30 }, (_, index) => `${String(index).padStart(3_500_000, 'x')},1`);
  const source = await lab.upload(`a,b\n1,1\n${bad.join('\n')}\n2,1\n`);
  const columnMappings = [mapping('a', 'INTEGER'), mapping('b', 'INTEGER')];
  const { staged } = await lab.importFile(source, { columnMappings }, true);
  expect([staged.table.rows, staged.quarantine?.rows]).toEqual([2, 30]);
});
