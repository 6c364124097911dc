import type { TableBlock } from '../block.ts';
import type { TablePart } from '../table-fit.ts';
import type { PdfNode } from './printer.ts';
import type { TextWriter } from './text.ts';

export function tableNode({ table, widths }: TablePart, fontSize: number, texts: TextWriter): PdfNode {
  const cell = (runs: TableBlock['header'][number], index: number, style: PdfNode): PdfNode =>
    texts.text(runs, {
      ...style,
      ...(table.align[index] === 'left' ? {} : { alignment: table.align[index] }),
    });
  return {
    table: {
      headerRows: 1,
      keepWithHeaderRows: 1,
      widths,
      body: [
        table.header.map((runs, index) => cell(runs, index, { bold: true })),
        ...table.rows.map((row) => row.map((runs, index) => cell(runs, index, {}))),
      ],
    },
    layout: 'report',
    fontSize,
    margin: [0, 3, 0, 9],
  };
}
