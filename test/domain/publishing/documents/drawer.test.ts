import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { type ChartDrawer, createChartDrawer } from '../../../../domain/publishing/documents/drawer.ts';
import { chartDocument } from '../../../../domain/publishing/documents/faults.ts';

let drawer: ChartDrawer;
beforeAll(() => {
  drawer = createChartDrawer();
});
afterAll(() => drawer?.close());

const columns = [
  { name: 'month', dataType: 'DATE' },
  { name: 'revenue', dataType: 'DECIMAL(10,2)' },
  { name: 'region', dataType: 'STRING' },
];
const rows = ['2024-01-01', '2024-02-01', '2024-03-01'].map((month, index) => [
  month,
  `${index + 1}.50`,
  'N',
]);

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).code).toBe('invalid_request');
  return (error as AppError).message;
}

describe('the drawer', () => {
  const document = () =>
    chartDocument({ kind: 'bar', x: 'month', y: 'revenue', title: 'T' }, { columns, rows });

  test('refuses what no chart can show', async () => {
    const request = { kind: 'bar', x: 'month', y: 'nothing', title: 'T' } as const;
    const drawn = (async () => chartDocument(request, { columns, rows }))();
    expect(await refusalOf(drawn)).toMatch(/no column “nothing”/);
  });

  test('ends what takes too long, and draws the next', async () => {
    const hasty = createChartDrawer({ timeoutMs: 30_000 });
    try {
      const endless = { ...document(), data: { sequence: { start: 0, stop: 3e7, as: 'c0' } } };
      const ended = hasty.svg('a', endless);
      const next = hasty.svg('b', document());
      expect(await refusalOf(ended)).toMatch(
        /^The chart (?:could not be drawn within 30 seconds|needs more memory than a drawing may use)\. Group/,
      );
      expect(await next).toContain('<svg');
    } finally {
      await hasty.close();
    }
  });

  test('bounds what a drawing may weigh', async () => {
    const label = { type: 'text', text: 'x'.repeat(1_000) };
    const sequence = { sequence: { start: 0, stop: 4_000, as: 'c0' } };
    expect(await refusalOf(drawer.svg('org', { data: sequence, mark: label }))).toBe(
      'The drawing is larger than 2 MiB. Group or limit the rows first.',
    );
  });

  test('gives organizations turns', async () => {
    const done: string[] = [];
    const ask = (organizationId: string) =>
      drawer.svg(organizationId, document()).then(() => done.push(organizationId));
    // A thread that has begun draws in milliseconds.
    await Promise.all([ask('a'), ask('b')]);
    done.length = 0;
    await Promise.all([...Array.from({ length: 12 }, () => ask('a')), ask('b')]);
    expect(done.indexOf('b')).toBeLessThan(10);
  });
});
