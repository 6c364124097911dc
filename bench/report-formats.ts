/**
 * A report of about forty pages with ten charts and a table of 2,000 rows as PDF and as DOCX, in the thread
 * that formats documents for the API. The first document of each format starts the thread and loads its
 * libraries.
 *
 *   node bench/report-formats.ts [rounds] [folder for the documents]; needs no service
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createChartDrawer } from '../domain/publishing/documents/drawer.ts';
import { createReportFormatter } from '../domain/publishing/documents/formatter.ts';
import { chartSpec, type ExportFormat, type ReportMaterial } from '../packages/documents/index.ts';

const rounds = Number(process.argv[2] ?? 5);
const folder = process.argv[3];
const chartCount = 10;
const rowCount = 2_000;
/** Together with the table's forty pages, enough text for the page count of the target. */
const paragraphs = 3;

const idOf = (prefix: string, index: number) =>
  `${prefix}_01kahz3v6dfyvb1s8m3h9q2w${String(index).padStart(2, '0')}`;
const sentence =
  'Revenue of the region grew against the month before, mostly by orders of existing customers, while returns stayed where they were. ';

const drawer = createChartDrawer();
const columns = [
  { name: 'month', dataType: 'DATE' },
  { name: 'revenue', dataType: 'DOUBLE' },
  { name: 'region', dataType: 'STRING' },
];
const material: ReportMaterial = { charts: {}, results: {}, images: {} };
const kinds = ['bar', 'line', 'area', 'scatter'] as const;
for (let index = 0; index < chartCount; index += 1) {
  const rows = Array.from({ length: 48 }, (_, at) => [
    new Date(Date.UTC(2024, at % 12, 1)).toISOString().slice(0, 10),
    1_000 + 400 * Math.sin(at + index),
    ['North', 'South', 'East', 'West'][Math.floor(at / 12)],
  ]);
  const request = {
    kind: kinds[index % kinds.length]!,
    x: 'month',
    y: 'revenue',
    series: 'region',
    title: `Chart ${index + 1}`,
  };
  material.charts[idOf('cht', index)] = await drawer.svg('bench', chartSpec(request, { columns, rows }));
}
await drawer.close();
material.results[idOf('res', 0)] = {
  title: 'Orders',
  columns: ['order', 'customer', 'region', 'ordered_at', 'amount'].map((name) => ({
    name,
    dataType: name === 'amount' ? 'DECIMAL(10,2)' : 'STRING',
  })),
  columnCount: 5,
  rows: Array.from({ length: rowCount }, (_, index) => [
    String(100_000 + index),
    `Customer ${(index * 7_919) % 997}`,
    ['North', 'South', 'East', 'West'][index % 4]!,
    `2024-${String((index % 12) + 1).padStart(2, '0')}-${String((index % 28) + 1).padStart(2, '0')}`,
    String(((index * 97) % 100_000) / 100),
  ]),
  isCut: false,
};

const markdown = [
  ...Array.from({ length: chartCount }, (_, index) =>
    [
      `## Chapter ${index + 1}`,
      ...Array.from({ length: paragraphs }, () => sentence.repeat(8)),
      `![Chart ${index + 1}](chart:${idOf('cht', index)})`,
      '- **North** leads\n- South follows\n  1. East\n  2. West',
    ].join('\n\n'),
  ),
  `## Orders\n\n![Orders](result:${idOf('res', 0)})`,
].join('\n\n');
const source = { title: 'A report of forty pages', markdown, writtenAt: '2026-11-21T08:30:00.000Z' };

for (const format of ['pdf', 'docx', 'markdown'] satisfies ExportFormat[]) {
  const formatter = createReportFormatter();
  const times: number[] = [];
  let peakMib = 0;
  const watch = setInterval(() => {
    peakMib = Math.max(peakMib, process.memoryUsage().rss / 1_048_576);
  }, 20);
  let document: Buffer = Buffer.alloc(0);
  // How long other requests of the same process are delayed.
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  for (let round = 0; round < rounds; round += 1) {
    const begunMs = performance.now();
    document = await formatter.format('bench', format, source, async () => material);
    times.push(performance.now() - begunMs);
  }
  clearInterval(watch);
  delay.disable();
  await formatter.close();
  const pages =
    format === 'pdf' ? `, ${document.toString('latin1').match(/\/Type \/Page\b/g)?.length} pages` : '';
  console.log(
    `${format}: first ${Math.round(times[0]!)} ms, then ${times.slice(1).map(Math.round).join(', ')} ms; ${Math.round(document.length / 1_024)} KiB${pages}; the whole process at most ${Math.round(peakMib)} MiB; its event loop waited ${Math.round(delay.percentile(99) / 1e6)} ms at p99, ${Math.round(delay.max / 1e6)} at most`,
  );
  if (folder === undefined) continue;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `report.${format === 'markdown' ? 'md' : format}`), document);
}
