import { Button } from '@mantine/core';
import { Fetched } from '../../parts/states.tsx';
import * as texts from '../../texts/index.ts';
import type { Graph } from './graph.ts';
import type { useCheck } from './use-check.ts';

const labels = texts.automation.workflows;

interface CheckProps {
  check: ReturnType<typeof useCheck>;
  graph: Graph;
  onChoose: (id: string) => void;
}

/** What the service finds wrong with the draft, each with the way to its node. */
export function Check({ check, graph, onChoose }: CheckProps) {
  return (
    <section className="part" aria-label={labels.check.title}>
      <h2>{labels.check.title}</h2>
      <Fetched asked={check}>
        {(faults) => (
          <>
            <div role="status">
              {faults.length === 0 ? <p>{labels.check.valid}</p> : <p>{labels.faultCount(faults.length)}</p>}
            </div>
            {faults.length > 0 && (
              <ul>
                {faults.map(({ nodeId, place, msg }) => {
                  const node = graph.nodes.find(({ id }) => id === nodeId);
                  return (
                    <li key={`${nodeId} ${place} ${msg}`}>
                      {node !== undefined && (
                        <>
                          <Button onClick={() => onChoose(node.id)}>
                            {labels.choose(node.name === '' ? node.id : node.name)}
                          </Button>{' '}
                        </>
                      )}
                      {place !== '' && <code>{place}</code>} {msg}
                    </li>
                  );
                })}
              </ul>
            )}
          </>
        )}
      </Fetched>
    </section>
  );
}
