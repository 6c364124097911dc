import { Button, Group, Text } from '@mantine/core';
import { memo, useState } from 'react';
import { Select } from '../../parts/input.tsx';
import { Status } from '../../parts/status.tsx';
import * as texts from '../../texts/index.ts';
import { DeleteNode } from './delete-node.tsx';
import { type ChangeGraph, type Graph, type NodeType, type Run, withNode } from './graph.ts';
import type { NodeFault } from './use-check.ts';

const labels = texts.automation.workflows;

interface NodeListProps {
  graph: Graph;
  types: readonly NodeType[];
  steps: Run['steps'];
  faults: readonly NodeFault[];
  chosenId: string | undefined;
  isEditable: boolean;
  change: ChangeGraph;
  onChoose: (id: string | undefined) => void;
}

/** The nodes of a graph as a list: what the drawing shows, for the keyboard and for readers. */
export function NodeList(props: NodeListProps) {
  const { graph, types, steps, faults, chosenId, isEditable, change, onChoose } = props;
  return (
    <section aria-label={labels.nodes}>
      <h2>{labels.nodes}</h2>
      {graph.nodes.length === 0 && <p>{labels.noNodes}</p>}
      <ul className="plain nodes">
        {graph.nodes.map(({ id, type, name }) => (
          <OneNode
            key={id}
            {...{ id, name, isEditable, change, onChoose }}
            label={types.find((one) => one.type === type)?.label ?? type}
            status={steps.find((step) => step.id === id)?.status}
            faultCount={faults.filter(({ nodeId }) => nodeId === id).length}
            isChosen={id === chosenId}
          />
        ))}
      </ul>
      {isEditable && <AddNode {...{ graph, types, change, onChoose }} />}
    </section>
  );
}

interface OneNodeProps extends Pick<NodeListProps, 'isEditable' | 'change' | 'onChoose'> {
  id: string;
  name: string;
  label: string;
  status: Run['steps'][number]['status'] | undefined;
  faultCount: number;
  isChosen: boolean;
}

/** Drawn again only when it changed: a graph may have a hundred. */
const OneNode = memo(function OneNode(props: OneNodeProps) {
  const { id, name, label, status, faultCount, isChosen, isEditable, change, onChoose } = props;
  return (
    <li>
      <Button
        aria-label={labels.choose(name)}
        aria-pressed={isChosen}
        onClick={() => onChoose(isChosen ? undefined : id)}
      >
        {name === '' ? id : name}
      </Button>{' '}
      <Text span c="dimmed">
        {label}
      </Text>{' '}
      {status !== undefined && <Status of={status} />}{' '}
      {faultCount > 0 && (
        <Text span className="fault">
          {labels.faultCount(faultCount)}
        </Text>
      )}{' '}
      {isEditable && <DeleteNode {...{ id, name, change }} />}
    </li>
  );
});

function AddNode({
  graph,
  types,
  change,
  onChoose,
}: Pick<NodeListProps, 'graph' | 'types' | 'change' | 'onChoose'>) {
  const [chosen, setChosen] = useState(types[0]?.type ?? '');
  const type = types.find((type) => type.type === chosen);
  if (type === undefined) return null;
  return (
    <Group align="end">
      <Select label={labels.addType} value={chosen} onChange={({ target }) => setChosen(target.value)}>
        {types.map((type) => (
          <option key={type.type} value={type.type}>
            {type.label}
          </option>
        ))}
      </Select>
      <Button
        onClick={() => {
          const [, id] = withNode(graph, type);
          change((before) => withNode(before, type)[0]);
          onChoose(id);
        }}
      >
        {labels.add}
      </Button>
    </Group>
  );
}
