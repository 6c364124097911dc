import { cellPadding } from '../table-fit.ts';

const paddingY = 2;

/** Table layouts: for tables of a report, and for tables that represent a quote, code or a rule. */
export const tableLayouts = {
  report: {
    hLineWidth: (index: number, { table }: { table: { body: unknown[] } }) =>
      index === 0 || index === 1 || index === table.body.length ? 0.8 : 0.4,
    vLineWidth: () => 0,
    hLineColor: (index: number) => (index <= 1 ? '#8a94a3' : '#d5dae1'),
    fillColor: (row: number) => (row === 0 ? '#f1f4f8' : null),
    paddingLeft: () => cellPadding,
    paddingRight: () => cellPadding,
    paddingTop: () => paddingY,
    paddingBottom: () => paddingY,
  },
  quote: {
    hLineWidth: () => 0,
    vLineWidth: (index: number) => (index === 0 ? 2.5 : 0),
    vLineColor: () => '#c5ccd6',
    paddingLeft: () => 10,
    paddingRight: () => 0,
    paddingTop: () => 1,
    paddingBottom: () => 1,
  },
  code: {
    hLineWidth: () => 0,
    vLineWidth: () => 0,
    fillColor: () => '#f5f7f9',
    paddingLeft: () => 8,
    paddingRight: () => 8,
    paddingTop: () => 5,
    paddingBottom: () => 5,
  },
  rule: {
    hLineWidth: (index: number) => (index === 0 ? 0.8 : 0),
    vLineWidth: () => 0,
    hLineColor: () => '#b8c0cc',
  },
};
