import { Fetched } from '../../parts/states.tsx';
import * as texts from '../../texts/index.ts';
import type { Graph } from './graph.ts';
import type { NodeFault, useCheck } from './use-check.ts';

const told = texts.automation.workflows;

interface CheckProps {
  check: ReturnType<typeof useCheck>;
  graph: Graph;
  onChoose: (id: string) => void;
}

/** What the service finds wrong with the draft, each with the way to its node. */
export function Check({ check, graph, onChoose }: CheckProps) {
  const list = (items: readonly NodeFault[]) => (
    <ul>
      {items.map(({ nodeId, place, msg }) => {
        const node = graph.nodes.find(({ id }) => id === nodeId);
        return (
          <li key={`${nodeId} ${place} ${msg}`}>
            {node !== undefined && (
              <>
                <button type="button" className="plain" onClick={() => onChoose(node.id)}>
                  {told.choose(node.name === '' ? node.id : node.name)}
                </button>{' '}
              </>
            )}
            {place !== '' && <code>{place}</code>} {msg}
          </li>
        );
      })}
    </ul>
  );
  return (
    <section className="part" aria-label={told.check.title}>
      <h2>{told.check.title}</h2>
      <Fetched asked={check}>
        {({ faults, warnings }) => (
          <>
            <div role="status">
              {faults.length === 0 ? <p>{told.check.valid}</p> : <p>{told.faultCount(faults.length)}</p>}
            </div>
            {faults.length > 0 && list(faults)}
            {warnings.length > 0 && (
              <>
                <h3>{told.check.warnings}</h3>
                {list(warnings)}
              </>
            )}
          </>
        )}
      </Fetched>
    </section>
  );
}
