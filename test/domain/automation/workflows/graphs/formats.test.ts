import { expect, test } from 'vitest';
import { formatFaults } from '../../../../../domain/automation/workflows/graphs/formats.ts';
import { graphOf, node } from '../../../../support/workflows.ts';

const sales = node('sales', 'query', { sql: 'SELECT 1 AS n' });
const summary = node('summary', 'report', { title: 'Sales', content: '# Sales' });
const copy = node('copy', 'file_output', { path: 'sales.csv' });
const mail = (format?: string) =>
  node('mail', 'email_delivery', { to: ['ada@example.com'], subject: 'Sales', format });
const file = (format: string) => node('file', 'file_output', { path: 'sales', format });

test.each([
  ['rows', 'pdf', 'sales.rows', 'The input of this node (rows) can be written as csv, json, but not as pdf.'],
  [
    'a report',
    'csv',
    'summary.report',
    'The input of this node (report) can be written as markdown, pdf, docx, but not as csv.',
  ],
])('%s cannot be written as %s', (_, format, from, msg) => {
  const graph = graphOf([sales, summary, file(format)], [[from, 'file.input']]);
  const loc = ['body', 'graph', 'nodes', 2, 'config', 'format'];
  expect(formatFaults(graph)).toEqual([{ loc, type: 'value_error', msg }]);
});

test.each([
  ['rows as JSON', file('json'), ['sales.rows', 'file.input']],
  ['a report as DOCX', file('docx'), ['summary.report', 'file.input']],
  ['a file, which stays as it is', file('pdf'), ['copy.file', 'file.input']],
  ['nothing', mail('pdf'), ['sales.done', 'mail.start']],
  ['no format', mail(), ['sales.rows', 'mail.input']],
])('%s is no fault', (_, written, edge) => {
  const graph = graphOf([sales, summary, copy, written], [edge as [string, string]]);
  expect(formatFaults(graph)).toEqual([]);
});

test('of several inputs one that can have the format is enough', () => {
  const edges: [string, string][] = [
    ['sales.rows', 'mail.input'],
    ['summary.report', 'mail.input'],
  ];
  expect(formatFaults(graphOf([sales, summary, mail('pdf')], edges))).toEqual([]);
});

test('a draft with any other fault is read as far as possible', () => {
  for (const graph of [{}, null, { nodes: 'none' }, { nodes: [file('pdf'), 7], edges: [7, { from: 'a' }] }])
    expect(formatFaults(graph)).toEqual([]);
});
