import { useQuery } from '@tanstack/react-query';
import { Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import { EditGrants } from './edit-grants.tsx';
import { principalsQuery } from './principals.ts';

/** Who may read and write a table. Administrators see it, and always may do both. */
export function Grants({ tableId }: { tableId: string }) {
  const queryKey = ['grants', tableId];
  const principals = useQuery(principalsQuery);
  const asked = useQuery({
    queryKey,
    queryFn: async () =>
      (await workspace.get('/v1/tables/{table_id}/grants', { params: { path: { table_id: tableId } } })).data,
    // What is being changed is not put back to what it was.
    refetchOnWindowFocus: false,
  });
  return (
    <Fetched asked={principals}>
      {(all) => (
        <Fetched asked={asked}>
          {({ grants }) => (
            <EditGrants
              // Anew once others are saved.
              key={JSON.stringify(grants)}
              {...{ tableId, grants, principals: all, queryKey }}
            />
          )}
        </Fetched>
      )}
    </Fetched>
  );
}
