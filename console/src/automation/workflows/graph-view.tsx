import { Controls, type Edge as FlowEdge, MarkerType, type Node, ReactFlow } from '@xyflow/react';
import { useMemo } from 'react';
import '@xyflow/react/dist/style.css';
import { texts } from '../../texts/index.ts';
import { type Edge, type Graph, type NodeType, type Run, splitEnd } from './graph.ts';
import { placed } from './layout.ts';
import { NodeBox, type NodeBoxData } from './node-box.tsx';
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

const nodeTypes = { box: NodeBox };

/**
 * A graph, drawn. By the pointer nodes are chosen and connected; the keyboard does so in the list of nodes
 * beside it, so nothing here takes the focus but the controls of the view.
 */
export function GraphView({ graph, types, steps, faults, chosenId, onChoose, onConnect }: GraphViewProps) {
  const places = useMemo(() => placed(graph, types), [graph, types]);
  const nodes = useMemo(
    () =>
      places.map(({ node, ports, position, width, height }): Node<NodeBoxData> => {
        const label = types.find(({ type }) => type === node.type)?.label ?? node.type;
        const status = steps.find(({ id }) => id === node.id)?.status;
        const faultCount = faults.filter(({ nodeId }) => nodeId === node.id).length;
        return {
          ...{ id: node.id, type: 'box', position, width, height },
          selected: node.id === chosenId,
          data: { node, ports, label, status, faultCount },
        };
      }),
    [places, types, steps, faults, chosenId],
  );
  const edges = useMemo(() => drawnEdges(graph), [graph]);
  return (
    <section className="graph" aria-label={texts.automation.workflows.graph}>
      <ReactFlow
        // Drawn anew where there are other nodes, so that all of them are in sight.
        key={graph.nodes.map(({ id }) => id).join(' ')}
        {...{ nodes, edges, nodeTypes }}
        colorMode="system"
        fitView
        minZoom={0.1}
        maxZoom={1.5}
        fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
        nodesDraggable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        nodesConnectable={onConnect !== undefined}
        deleteKeyCode={null}
        disableKeyboardA11y
        preventScrolling={false}
        zoomOnScroll={false}
        onNodeClick={(_, { id }) => onChoose(id)}
        onConnect={({ source, sourceHandle, target, targetHandle }) =>
          onConnect?.({ from: `${source}.${sourceHandle}`, to: `${target}.${targetHandle}` })
        }
      >
        <Controls showInteractive={false} />
      </ReactFlow>
    </section>
  );
}

/** Those between nodes that are there. */
function drawnEdges({ nodes, edges }: Graph): FlowEdge[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return edges.flatMap(({ from, to }) => {
    const [[source, sourceHandle], [target, targetHandle]] = [splitEnd(from), splitEnd(to)];
    if (!ids.has(source) || !ids.has(target)) return [];
    const markerEnd = { type: MarkerType.ArrowClosed };
    return [{ id: `${from} ${to}`, source, sourceHandle, target, targetHandle, markerEnd }];
  });
}
