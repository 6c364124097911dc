import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { errorOf } from '../../../clients/typescript/src/errors.ts';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Scrolls } from '../parts/scrolls.tsx';
import { Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { isView } from './subject.ts';

type Graph = components['schemas']['Lineage'];
type Node = Graph['nodes'][number];

const labels = texts.table.lineage;
const addressOf = (id: string, format: 'json' | 'svg') =>
  `/v1/${isView(id) ? 'views' : 'tables'}/${id}/lineage?direction=both&format=${format}`;

/** What a table is made from and what is made from it: as a picture, and as lists that lead on. */
export function Lineage({ id, name }: { id: string; name: string }) {
  const asked = useQuery({
    queryKey: ['lineage', id],
    queryFn: async () => {
      const response = await workspace.send(addressOf(id, 'json'));
      if (!response.ok) throw await errorOf(response);
      const { data } = (await response.json()) as { data: Graph };
      return data;
    },
  });
  return (
    <Fetched asked={asked}>
      {(graph) => (
        <>
          <Picture id={id} name={name} />
          <dl className="facts-list">
            <dt>{labels.up}</dt>
            <dd>
              <Nodes nodes={nextTo(graph, id, 'up')} />
            </dd>
            <dt>{labels.down}</dt>
            <dd>
              <Nodes nodes={nextTo(graph, id, 'down')} />
            </dd>
          </dl>
          {graph.truncated && <Text c="dimmed">{labels.cut}</Text>}
        </>
      )}
    </Fetched>
  );
}

function nextTo({ nodes, edges }: Graph, id: string, way: 'up' | 'down'): Node[] {
  const found = new Set(
    edges.flatMap(({ from, to }) =>
      way === 'up' && to === id ? [from] : way === 'down' && from === id ? [to] : [],
    ),
  );
  return nodes.filter((node) => found.has(node.id));
}

function Nodes({ nodes }: { nodes: readonly Node[] }) {
  if (nodes.length === 0) return labels.none;
  return (
    <ul className="plain">
      {nodes.map(({ id, name, kind }) => (
        <li key={id}>
          {kind === 'table' || kind === 'view' ? (
            <Link to="/tables/$tableId" params={{ tableId: id }}>
              {name}
            </Link>
          ) : (
            `${kind} ${name}`
          )}
        </li>
      ))}
    </ul>
  );
}

/** As the service draws it. */
function Picture({ id, name }: { id: string; name: string }) {
  const asked = useQuery({
    queryKey: ['lineage-picture', id],
    queryFn: async () => {
      const response = await workspace.send(addressOf(id, 'svg'));
      if (!response.ok) throw await errorOf(response);
      return response.blob();
    },
  });
  return <Fetched asked={asked}>{(drawn) => <Drawn {...{ drawn, name }} />}</Fetched>;
}

/** An image of an SVG runs no scripts. */
function Drawn({ drawn, name }: { drawn: Blob; name: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(drawn);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [drawn]);
  return (
    <Scrolls className="paper" label={labels.title}>
      <img src={address} alt={labels.picture(name)} />
    </Scrolls>
  );
}
