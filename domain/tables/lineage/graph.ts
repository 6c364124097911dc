import type { Influence } from '../../../packages/sql-guard/index.ts';
import type { TableKind } from '../tables/registry.ts';

export const nodeKinds = ['table', 'view', 'file', 'dataset', 'playbook', 'report', 'workflow'] as const;
export type NodeKind = (typeof nodeKinds)[number];

export interface LineageNode {
  id: string;
  kind: NodeKind;
  name: string;
  /** Null for everything but tables. */
  tableKind: Exclude<TableKind, 'view' | 'system'> | null;
  /** How fresh a calculated table is, or whether a view is valid; null for everything else. */
  status: string | null;
  /** The newest version of a table. */
  version: number | null;
}

/** How a column of the upper end affects a column of the lower one. */
export interface ColumnInfluence {
  from: string;
  to: string;
  type: 'direct' | 'indirect';
  subtype: Influence;
}

export interface LineageEdge {
  /** The upper end: data flows from here. */
  from: string;
  to: string;
  /** Empty where the columns are not known. */
  columns: ColumnInfluence[];
}

export interface LineageGraph {
  nodes: LineageNode[];
  edges: LineageEdge[];
  /** Whether nodes further away were left out. */
  truncated: boolean;
}

/** More are cut by their distance, because an answer has to stay readable and fast. */
export const maxNodes = 2_000;

const directOnes: readonly Influence[] = ['identity', 'transformation', 'aggregation'];

export const columnInfluence = (from: string, to: string, subtype: Influence): ColumnInfluence => ({
  from,
  to,
  type: directOnes.includes(subtype) ? 'direct' : 'indirect',
  subtype,
});
