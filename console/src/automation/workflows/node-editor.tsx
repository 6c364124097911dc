import { useState } from 'react';
import { Field } from '../../parts/field.tsx';
import * as texts from '../../texts/index.ts';
import { ConfigMembers } from './config-members.tsx';
import { type GraphNode, type NodeType, withChange } from './graph.ts';
import type { ChangeGraph } from './node-list.tsx';
import type { NodeFault } from './use-check.ts';

const told = texts.automation.workflows.node;

interface NodeEditorProps {
  node: GraphNode;
  types: readonly NodeType[];
  faults: readonly NodeFault[];
  isEditable: boolean;
  change: ChangeGraph;
}

/** The node that was chosen: its name, and its config as JSON. */
export function NodeEditor({ node, types, faults, isEditable, change }: NodeEditorProps) {
  const { id, type, name } = node;
  const nodeType = types.find((one) => one.type === type);
  const [text, setText] = useState(() => JSON.stringify(node.config, null, 2));
  const { fault } = readConfig(text);
  /** What is left empty is left to the service. */
  const set = (key: string, value: unknown, written: string) =>
    change((graph) => withChange(graph, id, { [key]: written === '' ? undefined : value }));
  const said = faults.map(({ place, msg }) => (place === '' ? msg : `${place}: ${msg}`)).join('\n');
  return (
    <section className="node-editor" aria-label={told.title(name)}>
      <h2>{told.title(name === '' ? id : name)}</h2>
      <p className="hint">{told.id(id, nodeType?.label ?? type)}</p>
      <Field label={told.name}>
        {(control) => (
          <input
            {...control}
            readOnly={!isEditable}
            value={name}
            onChange={({ target }) => change((graph) => withChange(graph, id, { name: target.value }))}
          />
        )}
      </Field>
      <div className="fields">
        <Field label={told.attempts} hint={told.attemptsHint}>
          {(control) => (
            <input
              {...control}
              type="number"
              {...{ min: 1, max: 10, readOnly: !isEditable }}
              value={attemptsOf(node)}
              onChange={({ target }) => set('retry', { max_attempts: Number(target.value) }, target.value)}
            />
          )}
        </Field>
        <Field label={told.timeout} hint={told.timeoutHint}>
          {(control) => (
            <input
              {...control}
              type="number"
              {...{ min: 1, max: 86_400, readOnly: !isEditable }}
              value={numberText(node['timeout_seconds'])}
              onChange={({ target }) => set('timeout_seconds', Number(target.value), target.value)}
            />
          )}
        </Field>
      </div>
      <Field label={told.config} fault={fault ?? (said === '' ? undefined : said)}>
        {(control) => (
          <textarea
            {...control}
            rows={Math.min(24, text.split('\n').length + 2)}
            spellCheck={false}
            readOnly={!isEditable}
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              const { config } = readConfig(target.value);
              if (config !== undefined) change((graph) => withChange(graph, id, { config }));
            }}
          />
        )}
      </Field>
      {nodeType !== undefined && <ConfigMembers schema={nodeType.config} />}
    </section>
  );
}

const numberText = (value: unknown): string => (typeof value === 'number' ? String(value) : '');

function attemptsOf({ retry }: GraphNode): string {
  return typeof retry === 'object' && retry !== null && 'max_attempts' in retry
    ? numberText(retry.max_attempts)
    : '';
}

function readConfig(text: string): { config?: GraphNode['config']; fault?: string } {
  try {
    const config: unknown = JSON.parse(text);
    if (typeof config === 'object' && config !== null && !Array.isArray(config))
      return { config: config as GraphNode['config'] };
    return { fault: told.notMap };
  } catch (error) {
    return { fault: told.notJson((error as Error).message) };
  }
}
