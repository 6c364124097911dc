import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { workspace } from '../session/login.ts';

/** Who answers: whom one chose, else who answered last, as long as the service still has it; else its default. */
export function useModel(last: string | undefined) {
  const [chosen, choose] = useState(last);
  const { data } = useQuery({ queryKey: ['models'], queryFn: () => workspace.get('/v1/models') });
  const models = data?.items ?? [];
  return {
    models,
    model: models.find(({ id }) => id === chosen) ?? models.find((model) => model.default),
    choose,
  };
}
