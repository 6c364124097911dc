import { useComputedColorScheme } from '@mantine/core';
import { Controls, type Edge as FlowEdge, MarkerType, ReactFlow } from '@xyflow/react';
import { memo, useMemo } from 'react';
import '@xyflow/react/dist/style.css';
import * as texts from '../../texts/index.ts';
import { type GraphViewProps, useBoxes } from './boxes.ts';
import { type Shape, splitEnd } from './graph.ts';
import { NodeBox } from './node-box.tsx';

const nodeTypes = { box: NodeBox };

/**
 * A graph, drawn. By the pointer nodes are chosen and connected; the keyboard does so in the list of nodes
 * beside it, so nothing here takes the focus but the controls of the view.
 */
export const GraphView = memo(function GraphView(props: GraphViewProps) {
  const { graph, onChoose, onConnect } = props;
  const { shape, nodes } = useBoxes(props);
  const theme = useComputedColorScheme('light');
  const edges = useMemo(() => drawnEdges(shape), [shape]);
  return (
    <section className="graph" aria-label={texts.automation.workflows.graph}>
      <ReactFlow
        // Drawn anew where there are other nodes, so that all of them are in sight.
        key={graph.nodes.map(({ id }) => id).join(' ')}
        {...{ nodes, edges, nodeTypes }}
        colorMode={theme}
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
});

/** Those between nodes that are there. */
function drawnEdges({ nodes, edges }: Shape): FlowEdge[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return edges.flatMap(({ from, to }) => {
    const [[source, sourceHandle], [target, targetHandle]] = [splitEnd(from), splitEnd(to)];
    if (!ids.has(source) || !ids.has(target)) return [];
    const markerEnd = { type: MarkerType.ArrowClosed };
    return [{ id: `${from} ${to}`, source, sourceHandle, target, targetHandle, markerEnd }];
  });
}
