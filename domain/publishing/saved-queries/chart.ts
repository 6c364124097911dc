import type { JsonValue } from '../../../data/exact-json.ts';

export const chartTypes = ['bar', 'line', 'area', 'scatter', 'pie', 'number', 'table', 'pivot'] as const;

/** How rows are shown. Columns are named as in the answer of the statement. */
export interface Chart {
  type: (typeof chartTypes)[number];
  x: string | null;
  y: string[];
  series: string | null;
  /** For whoever draws it in a page of their own. */
  options: Record<string, JsonValue>;
}
