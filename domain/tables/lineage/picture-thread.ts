import { graphSvg } from '../../../packages/documents/index.ts';
import type { LineageGraph, LineageNode } from './graph.ts';

export interface PictureTask extends Pick<LineageGraph, 'nodes' | 'edges'> {
  askedId: string;
}

const tableKindNames: Record<NonNullable<LineageNode['tableKind']>, string> = {
  data: 'data table',
  calc: 'calculated table',
  import: 'imported table',
  snapshot: 'snapshot',
  iceberg: 'table of an engine',
};

/** Entry point of the thread. */
export function drawInThread({ askedId, nodes, edges }: PictureTask): string {
  const asked = nodes.find(({ id }) => id === askedId);
  const boxes = nodes.map((node) => ({ ...node, note: noteOf(node) }));
  return graphSvg({ title: `Lineage of ${asked?.name ?? ''}`, nodes: boxes, edges, highlightedId: askedId });
}

function noteOf({ kind, tableKind, status }: LineageNode): string {
  const what = tableKind === null ? kind : tableKindNames[tableKind];
  return status === null ? what : `${what} · ${status}`;
}
