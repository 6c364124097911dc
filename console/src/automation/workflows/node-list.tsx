import { useState } from 'react';
import { Field } from '../../parts/field.tsx';
import { Status } from '../../parts/status.tsx';
import { texts } from '../../texts/index.ts';
import { type Graph, type NodeType, type Run, withNode, withoutNode } from './graph.ts';
import type { NodeFault } from './use-check.ts';

const told = texts.automation.workflows;

export type ChangeGraph = (how: (before: Graph) => Graph) => void;

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
    <section aria-label={told.nodes}>
      <h2>{told.nodes}</h2>
      {graph.nodes.length === 0 && <p>{told.noNodes}</p>}
      <ul className="plain nodes">
        {graph.nodes.map(({ id, type, name }) => {
          const status = steps.find((step) => step.id === id)?.status;
          const count = faults.filter(({ nodeId }) => nodeId === id).length;
          return (
            <li key={id}>
              <button
                type="button"
                className="plain"
                aria-label={told.choose(name)}
                aria-pressed={id === chosenId}
                onClick={() => onChoose(id === chosenId ? undefined : id)}
              >
                {name === '' ? id : name}
              </button>{' '}
              <span className="hint">{types.find((one) => one.type === type)?.label ?? type}</span>{' '}
              {status !== undefined && <Status of={status} />}{' '}
              {count > 0 && <span className="fault">{told.faultCount(count)}</span>}{' '}
              {isEditable && (
                <button
                  type="button"
                  className="plain"
                  aria-label={told.delete(name)}
                  onClick={() => change((before) => withoutNode(before, id))}
                >
                  {told.deleteShort}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {isEditable && <AddNode {...{ graph, types, change, onChoose }} />}
    </section>
  );
}

function AddNode({
  graph,
  types,
  change,
  onChoose,
}: Pick<NodeListProps, 'graph' | 'types' | 'change' | 'onChoose'>) {
  const [chosen, setChosen] = useState(types[0]?.type ?? '');
  const type = types.find((one) => one.type === chosen);
  if (type === undefined) return null;
  return (
    <div className="buttons ends">
      <Field label={told.addType}>
        {(control) => (
          <select {...control} value={chosen} onChange={({ target }) => setChosen(target.value)}>
            {types.map((one) => (
              <option key={one.type} value={one.type}>
                {one.label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <button
        type="button"
        onClick={() => {
          const [, id] = withNode(graph, type);
          change((before) => withNode(before, type)[0]);
          onChoose(id);
        }}
      >
        {told.add}
      </button>
    </div>
  );
}
