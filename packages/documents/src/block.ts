import type { Run, Shown } from './inlines.ts';

export type Align = 'left' | 'center' | 'right';

export interface TableBlock {
  type: 'table';
  title: string | undefined;
  align: Align[];
  header: Run[][];
  rows: Run[][][];
  /** Note below the table if it is incomplete. */
  remark: string | undefined;
}

export interface ListItem {
  /** Set for a task. */
  isChecked: boolean | undefined;
  blocks: Block[];
}

/** A report as used by all paged formats: fully resolved, with nesting limited to what fits a page. */
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
  /** By number, from 1. */
  notes: Block[][];
}
