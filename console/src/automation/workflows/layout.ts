import { Graph as DagreGraph, layout } from '@dagrejs/dagre';
import { type NodeType, type Ports, portsOf, type Shape, splitEnd } from './graph.ts';

/** As the style sheet has them. */
const size = { width: 230, head: 84, port: 22 };

export interface Placed {
  id: string;
  ports: Ports;
  position: { x: number; y: number };
  width: number;
  height: number;
}

/** Where each node is drawn: after what it waits for, from left to right. */
export function placed(graph: Shape, types: readonly NodeType[]): Placed[] {
  const drawing = new DagreGraph({ multigraph: true });
  drawing.setGraph({ rankdir: 'LR', nodesep: 32, ranksep: 72 });
  drawing.setDefaultEdgeLabel(() => ({}));
  const sized = [...portsOf(graph, types)].map(([id, ports]) => {
    const rows = Math.max(ports.inputs.length, ports.outputs.length);
    return { id, ports, width: size.width, height: size.head + rows * size.port };
  });
  for (const { id, width, height } of sized) drawing.setNode(id, { width, height });
  for (const { from, to } of graph.edges) {
    const [source, target] = [splitEnd(from)[0], splitEnd(to)[0]];
    if (drawing.hasNode(source) && drawing.hasNode(target)) drawing.setEdge(source, target);
  }
  layout(drawing);
  return sized.map((box) => {
    // Of its centre.
    const { x = 0, y = 0 } = drawing.node(box.id) as { x?: number; y?: number };
    return { ...box, position: { x: x - box.width / 2, y: y - box.height / 2 } };
  });
}
