import { useMutation, useQueryClient } from '@tanstack/react-query';
import { workspace } from '../session/login.ts';

/** Has the service try whether a connection works. */
export function useTest(connectionId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () =>
      (
        await workspace.post('/v1/connections/data/{connection_id}/test', {
          params: { path: { connection_id: connectionId } },
        })
      ).data,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['connections'] }),
  });
}
