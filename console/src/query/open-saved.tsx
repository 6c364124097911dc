import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Unfetched } from '../parts/states.tsx';
import { type SavedQuery, savedQueryQuery } from '../saved/resources.ts';

/** Opens the saved query of the address; until then, that it loads, or why it failed. */
export function OpenSaved({ onOpen }: { onOpen: (saved: SavedQuery) => void }) {
  const { query, project } = useSearch({ from: '/framed/query' });
  if (query === undefined || project === undefined) return null;
  return <Open key={query} queryId={query} projectId={project} onOpen={onOpen} />;
}

interface OpenProps {
  queryId: string;
  projectId: string;
  onOpen: (saved: SavedQuery) => void;
}

function Open({ queryId, projectId, onOpen }: OpenProps) {
  const asked = useQuery(savedQueryQuery(projectId, queryId));
  const { data } = asked;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each state that it is read in.
  useEffect(() => {
    if (data !== undefined) onOpen(data);
  }, [data]);
  return <Unfetched asked={asked} />;
}
