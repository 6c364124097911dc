import type { Node } from '@xyflow/react';
import { useMemo, useRef } from 'react';
import type { Edge, Graph, NodeType, Run, Shape } from './graph.ts';
import { placed } from './layout.ts';
import type { NodeBoxData } from './node-box.tsx';
import type { NodeFault } from './use-check.ts';

export interface GraphViewProps {
  graph: Graph;
  types: readonly NodeType[];
  steps: Run['steps'];
  faults: readonly NodeFault[];
  chosenId: string | undefined;
  onChoose: (id: string) => void;
  /** Undefined for a graph that is only looked at. */
  onConnect: ((edge: Edge) => void) | undefined;
}

type Box = Node<NodeBoxData>;

/**
 * The nodes of a graph as they are drawn. One that is as it was stays the same object: what is drawn measures and
 * draws the others alone, of a hundred nodes two when one is chosen.
 */
export function useBoxes({ graph, types, steps, faults, chosenId }: GraphViewProps) {
  const shape = useShape(graph);
  const places = useMemo(() => placed(shape, types), [shape, types]);
  const before = useRef(new Map<string, Box>());
  const nodes = useMemo(() => {
    const named = new Map(graph.nodes.map((node) => [node.id, node]));
    const labels = new Map(types.map(({ type, label }) => [type, label]));
    const states = new Map(steps.map(({ id, status }) => [id, status]));
    const all = places.map(({ id, ports, position, width, height }): Box => {
      const { type, name } = named.get(id)!;
      const faultCount = faults.filter(({ nodeId }) => nodeId === id).length;
      const data = { name, ports, label: labels.get(type) ?? type, status: states.get(id), faultCount };
      const box: Box = { id, type: 'box', position, width, height, selected: id === chosenId, data };
      const was = before.current.get(id);
      return was !== undefined && isAs(was, box) ? was : box;
    });
    before.current = new Map(all.map((box) => [box.id, box]));
    return all;
  }, [graph, places, types, steps, faults, chosenId]);
  return { shape, nodes };
}

/** Of a layout that was not made anew, places and ports are the same objects. */
function isAs({ data, ...one }: Box, { data: otherData, ...other }: Box): boolean {
  return hasSame(one, other) && hasSame(data, otherData);
}

const hasSame = (one: object, other: object): boolean =>
  Object.entries(one).every(([name, value]) => Object.is(value, other[name as keyof typeof other]));

/** What is to be laid out; the same as long as only names and configs change. */
function useShape({ nodes, edges }: Graph): Shape {
  const shape = useRef<Shape>({ nodes, edges });
  const isSame =
    shape.current.edges === edges &&
    shape.current.nodes.length === nodes.length &&
    shape.current.nodes.every(({ id, type }, at) => id === nodes[at]!.id && type === nodes[at]!.type);
  if (!isSame) shape.current = { nodes, edges };
  return shape.current;
}
