import { Group, Text } from '@mantine/core';
import { Input } from '../../parts/input.tsx';
import * as texts from '../../texts/index.ts';
import { ConfigForm } from './config/config-form.tsx';
import { besides, membersOf, saidAt } from './config/members.ts';
import type { ChangeGraph } from './graph.ts';
import { type GraphNode, type NodeType, withChange } from './graph.ts';
import type { NodeFault } from './use-check.ts';

const labels = texts.automation.workflows.node;

interface NodeEditorProps {
  node: GraphNode;
  types: readonly NodeType[];
  projectId: string;
  faults: readonly NodeFault[];
  isEditable: boolean;
  change: ChangeGraph;
  onHalf: (by: 1 | -1) => void;
}

/** The node that was chosen: its name, its attempts, and its config. */
export function NodeEditor(props: NodeEditorProps) {
  const { node, types, projectId, faults, isEditable, change, onHalf } = props;
  const { id, type, name } = node;
  const nodeType = types.find((one) => one.type === type);
  /** What is left empty is left to the service. */
  const set = (key: string, value: unknown, written: string) =>
    change((graph) => withChange(graph, id, { [key]: written === '' ? undefined : value }));
  const places = membersOf(nodeType?.config, node.config).map(([member]) => `config.${member}`);
  const others = besides(faults, ['name', 'retry', 'timeout_seconds', ...places]);
  return (
    <section className="node-editor" aria-label={labels.title(name)}>
      <h2>{labels.title(name === '' ? id : name)}</h2>
      <Text c="dimmed">{labels.id(id, nodeType?.label ?? type)}</Text>
      {others.length > 0 && (
        <ul className="fault">
          {others.map(({ place, msg }) => (
            <li key={`${place} ${msg}`}>{place === '' ? msg : `${place}: ${msg}`}</li>
          ))}
        </ul>
      )}
      <Input
        label={labels.name}
        fault={saidAt(faults, 'name')}
        readOnly={!isEditable}
        value={name}
        onChange={({ target }) => change((graph) => withChange(graph, id, { name: target.value }))}
      />
      <Group align="start">
        <Input
          label={labels.attempts}
          hint={labels.attemptsHint}
          fault={saidAt(faults, 'retry')}
          type="number"
          {...{ min: 1, max: 10, readOnly: !isEditable }}
          value={attemptsOf(node)}
          onChange={({ target }) => set('retry', { max_attempts: Number(target.value) }, target.value)}
        />
        <Input
          label={labels.timeout}
          hint={labels.timeoutHint}
          fault={saidAt(faults, 'timeout_seconds')}
          type="number"
          {...{ min: 1, max: 86_400, readOnly: !isEditable }}
          value={numberText(node['timeout_seconds'])}
          onChange={({ target }) => set('timeout_seconds', Number(target.value), target.value)}
        />
      </Group>
      <ConfigForm
        key={type}
        {...{ node, projectId, faults, isEditable, change, onHalf }}
        schema={nodeType?.config}
      />
    </section>
  );
}

const numberText = (value: unknown): string => (typeof value === 'number' ? String(value) : '');

function attemptsOf({ retry }: GraphNode): string {
  return typeof retry === 'object' && retry !== null && 'max_attempts' in retry
    ? numberText(retry.max_attempts)
    : '';
}
