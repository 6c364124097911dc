import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { addressed, type Exploration, fromAddress } from './exploration.ts';

export type Change = (next: (before: Exploration) => Exploration) => void;

/** What was chosen, which the address keeps: a reload, going back and a link to it find the same. */
export function useExploration(): [chosen: Exploration, change: Change] {
  const { explore } = useSearch({ from: '/framed/tables/$tableId' });
  const navigate = useNavigate();
  const chosen = useMemo(() => fromAddress(explore), [explore]);
  const change: Change = (next) =>
    void navigate({
      to: '.',
      search: (before: object) => {
        const { explore: now, ...rest } = before as { explore?: string };
        const text = addressed(next(fromAddress(now)));
        return text === undefined ? rest : { ...rest, explore: text };
      },
      resetScroll: false,
    });
  return [chosen, change];
}
