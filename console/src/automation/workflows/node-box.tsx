import { Text } from '@mantine/core';
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { Status } from '../../parts/status.tsx';
import * as texts from '../../texts/index.ts';
import type { Ports, Run } from './graph.ts';

const labels = texts.automation.workflows;

export type NodeBoxData = {
  name: string;
  ports: Ports;
  label: string;
  /** Of the run that is looked at. */
  status: Run['steps'][number]['status'] | undefined;
  faultCount: number;
};

/** A node as it is drawn: its type, its name, how it is, and its ports. */
export function NodeBox({
  data: { name, ports, label, status, faultCount },
  selected,
  isConnectable,
}: NodeProps<Node<NodeBoxData>>) {
  return (
    <div className={`node-box${selected ? ' chosen' : ''}${faultCount > 0 ? ' faulty' : ''}`}>
      <Text span c="dimmed">
        {label}
      </Text>
      <strong>{name}</strong>
      <span className="node-state">
        {status !== undefined && <Status of={status} />}
        {faultCount > 0 && (
          <Text span className="fault">
            {labels.faultCount(faultCount)}
          </Text>
        )}
      </span>
      <div className="ports">
        <ul>
          {ports.inputs.map((port) => (
            <li key={port}>
              <Handle id={port} type="target" position={Position.Left} isConnectable={isConnectable} />
              {port}
            </li>
          ))}
        </ul>
        <ul>
          {ports.outputs.map((port) => (
            <li key={port}>
              {port}
              <Handle id={port} type="source" position={Position.Right} isConnectable={isConnectable} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
