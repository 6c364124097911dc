import { Button, Group } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import { Select } from '../../parts/input.tsx';
import * as texts from '../../texts/index.ts';
import type { ChangeGraph } from './graph.ts';
import { type Graph, type NodeType, portsOf, withEdge, withoutEdge } from './graph.ts';

const labels = texts.automation.workflows.edges;

interface EdgesProps {
  graph: Graph;
  types: readonly NodeType[];
  isEditable: boolean;
  change: ChangeGraph;
}

/** What is connected to what, and a new connection, without a pointer. */
export const Edges = memo(function Edges({ graph, types, isEditable, change }: EdgesProps) {
  return (
    <section aria-label={labels.title}>
      <h2>{labels.title}</h2>
      {graph.edges.length === 0 && <p>{labels.none}</p>}
      <ul className="plain nodes">
        {graph.edges.map((edge) => (
          <li key={`${edge.from} ${edge.to}`}>
            {labels.label(edge.from, edge.to)}{' '}
            {isEditable && (
              <Button
                aria-label={labels.remove(edge.from, edge.to)}
                onClick={() => change((before) => withoutEdge(before, edge))}
              >
                {labels.removeShort}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isEditable && graph.nodes.length > 0 && <Connect {...{ graph, types, change }} />}
    </section>
  );
});

function Connect({ graph, types, change }: Omit<EdgesProps, 'isEditable'>) {
  const [outputs, inputs] = useMemo(() => {
    const ports = [...portsOf(graph, types)];
    return (['outputs', 'inputs'] as const).map((side) =>
      ports.flatMap(([id, { [side]: names }]) => names.map((name) => `${id}.${name}`)),
    ) as [string[], string[]];
  }, [graph, types]);
  const [chosen, setChosen] = useState({ from: '', to: '' });
  const from = outputs.includes(chosen.from) ? chosen.from : outputs[0]!;
  const to = inputs.includes(chosen.to) ? chosen.to : inputs[0]!;
  return (
    <Group align="end">
      <Ends
        label={labels.from}
        ends={outputs}
        value={from}
        onChange={(end) => setChosen({ from: end, to })}
      />
      <Ends label={labels.to} ends={inputs} value={to} onChange={(end) => setChosen({ from, to: end })} />
      <Button onClick={() => change((before) => withEdge(before, { from, to }))}>{labels.connect}</Button>
    </Group>
  );
}

interface EndsProps {
  label: string;
  ends: readonly string[];
  value: string;
  onChange: (end: string) => void;
}

const Ends = ({ label, ends, value, onChange }: EndsProps) => (
  <Select label={label} value={value} onChange={({ target }) => onChange(target.value)}>
    {ends.map((end) => (
      <option key={end} value={end}>
        {end}
      </option>
    ))}
  </Select>
);
