import type { Run, Shown } from './inlines.ts';

export type Align = 'left' | 'center' | 'right';

export interface TableBlock {
  type: 'table';
  title: string | undefined;
  align: Align[];
  header: Run[][];
  rows: Run[][][];
  /** Said below it, where it is not all there was. */
  remark: string | undefined;
}

export interface ListItem {
  /** Of a task. */
  isChecked: boolean | undefined;
  blocks: Block[];
}

/** A report as every format of pages has it: nothing left to resolve, and as deep as a page has room for. */
export type Block =
  | { type: 'heading'; level: number; runs: Run[]; text: string; id: string }
  | { type: 'paragraph'; runs: Run[] }
  | { type: 'code'; text: string }
  | { type: 'quote'; blocks: Block[] }
  | { type: 'list'; isOrdered: boolean; isTight: boolean; start: number; items: ListItem[] }
  | TableBlock
  | { type: 'rule' }
  | { type: 'picture'; shown: Shown; alt: string };

export interface ReportBlocks {
  blocks: Block[];
  /** By their numbers, from 1 on. */
  notes: Block[][];
}
