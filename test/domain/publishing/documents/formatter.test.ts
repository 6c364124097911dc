import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { createReportFormatter } from '../../../../domain/publishing/documents/formatter.ts';
import type { ReportMaterial } from '../../../../packages/documents/index.ts';
import { readPdf } from '../../../support/documents.ts';

const writtenAt = '2026-11-21T08:30:00.000Z';
const noMaterial: ReportMaterial = { charts: {}, results: {}, images: {} };
const largeTable = `| a | b |\n|--|--|\n${Array.from({ length: 30_000 }, (_, index) => `| ${index} | x |`).join('\n')}`;

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).code).toBe('invalid_request');
  return (error as AppError).message;
}

describe('the formatter', () => {
  test('tells what the library refuses', async () => {
    const formatter = createReportFormatter();
    const source = { title: 'T', markdown: `${'> '.repeat(50_000)}x`, writtenAt };
    try {
      expect(await refusalOf(formatter.format('a', 'pdf', source, async () => noMaterial))).toMatch(
        /nested .* simplify/,
      );
    } finally {
      await formatter.close();
    }
  });

  test('end what takes too long with its thread, and the next document is made', async () => {
    const hasty = createReportFormatter({ timeoutMs: 3_000 });
    const source = (markdown: string) => ({ title: 'T', markdown, writtenAt });
    try {
      const slow = hasty.format('a', 'pdf', source(largeTable), async () => noMaterial);
      const next = hasty.format('b', 'pdf', source('Fine.'), async () => noMaterial);
      expect(await refusalOf(slow)).toMatch(/within 3 seconds\. Split/);
      expect(await readPdf(await next)).toHaveLength(1);
    } finally {
      await hasty.close();
    }
  });

  test('end what takes too much memory with its thread, and the next document is made', async () => {
    const small = createReportFormatter({ memoryMib: 160 });
    const source = (markdown: string) => ({ title: 'T', markdown, writtenAt });
    try {
      const large = small.format('a', 'pdf', source(largeTable), async () => noMaterial);
      expect(await refusalOf(large)).toMatch(/more than 160 MiB.*Split/);
      expect(
        await readPdf(await small.format('a', 'pdf', source('Fine.'), async () => noMaterial)),
      ).toHaveLength(1);
    } finally {
      await small.close();
    }
  });

  test('hold for what is asked for, whose failure is told as it is', async () => {
    const formatter = createReportFormatter();
    const source = { title: 'T', markdown: `![x](chart:cht_01kahz3v6dfyvb1s8m3h9q2w4x)`, writtenAt };
    try {
      const away = new AppError('storage_unavailable', 'Away.');
      await expect(formatter.format('a', 'pdf', source, () => Promise.reject(away))).rejects.toBe(away);
      expect((await formatter.format('a', 'pdf', source, async () => noMaterial)).length).toBeGreaterThan(
        1_000,
      );
    } finally {
      await formatter.close();
    }
  });

  test('of one organization so many wait, and no more', async () => {
    const formatter = createReportFormatter();
    const ask = (organizationId: string) =>
      formatter.format(
        organizationId,
        'markdown',
        { title: 'T', markdown: 'x', writtenAt },
        async () => noMaterial,
      );
    try {
      const asked = await Promise.allSettled(Array.from({ length: 18 }, () => ask('a')).concat(ask('b')));
      const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(refused.map(({ code }) => code)).toEqual(['queries_saturated', 'queries_saturated']);
      expect(asked.at(-1)!.status).toBe('fulfilled');
      expect((await ask('a')).toString()).toBe('x\n');
    } finally {
      await formatter.close();
    }
  });

  test('organizations take turns', async () => {
    const formatter = createReportFormatter();
    const done: string[] = [];
    const ask = (organizationId: string) =>
      formatter
        .format(organizationId, 'pdf', { title: 'T', markdown: 'x', writtenAt }, async () => noMaterial)
        .then(() => done.push(organizationId));
    // A thread loads its libraries first.
    await Promise.all([ask('a'), ask('b')]);
    done.length = 0;
    await Promise.all([...Array.from({ length: 12 }, () => ask('a')), ask('b')]);
    expect(done.indexOf('b')).toBeLessThan(10);
    await formatter.close();
  });
});
