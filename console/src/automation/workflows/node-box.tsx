import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { Status } from '../../parts/status.tsx';
import { texts } from '../../texts/index.ts';
import type { GraphNode, Ports, Run } from './graph.ts';

const told = texts.automation.workflows;

export type NodeBoxData = {
  node: GraphNode;
  ports: Ports;
  label: string;
  /** Of the run that is looked at. */
  status: Run['steps'][number]['status'] | undefined;
  faultCount: number;
};

/** A node as it is drawn: its type, its name, how it is, and its ports. */
export function NodeBox({
  data: { node, ports, label, status, faultCount },
  selected,
  isConnectable,
}: NodeProps<Node<NodeBoxData>>) {
  return (
    <div className={`node-box${selected ? ' chosen' : ''}${faultCount > 0 ? ' faulty' : ''}`}>
      <span className="hint">{label}</span>
      <strong>{node.name}</strong>
      <span className="node-state">
        {status !== undefined && <Status of={status} />}
        {faultCount > 0 && <span className="fault">{told.faultCount(faultCount)}</span>}
      </span>
      <div className="ports">
        <ul>
          {ports.inputs.map((name) => (
            <li key={name}>
              <Handle id={name} type="target" position={Position.Left} isConnectable={isConnectable} />
              {name}
            </li>
          ))}
        </ul>
        <ul>
          {ports.outputs.map((name) => (
            <li key={name}>
              {name}
              <Handle id={name} type="source" position={Position.Right} isConnectable={isConnectable} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
