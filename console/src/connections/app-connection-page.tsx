import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Action } from '../parts/action.tsx';
import { More } from '../parts/more.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Tools } from './tools.tsx';

const route = getRouteApi('/framed/app-connections/$connectionId');
const { connection: labels, tools, app } = texts.connections;

/** An app whose tools the analyst may use, as far as somebody allows each. */
export function AppConnectionPage() {
  const { connectionId } = route.useParams();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const path = { connection_id: connectionId };
  const queryKey = ['app-connection', connectionId];
  const asked = useQuery({
    queryKey,
    queryFn: async () =>
      (await workspace.get('/v1/connections/app/{connection_id}', { params: { path } })).data,
  });
  return (
    <Fetched asked={asked}>
      {({ name, url, status, failure, secretKeys }) => (
        <>
          <PageHead title={name} facts={`${url} · ${app.statuses[status]}`}>
            <Action
              does={async () => {
                await workspace.post('/v1/connections/app/{connection_id}/test', { params: { path } });
                await queries.invalidateQueries({ queryKey });
                await queries.invalidateQueries({ queryKey: ['tools', connectionId] });
              }}
            >
              {tools.refresh}
            </Action>
            <More>
              {' '}
              <Action
                destroys
                confirm={labels.confirm(name)}
                changes={[['connections']]}
                does={async () => {
                  await workspace.delete('/v1/connections/app/{connection_id}', {
                    params: { path },
                  });
                  await navigate({ to: '/connections' });
                }}
              >
                {labels.remove}
              </Action>
            </More>
          </PageHead>
          {secretKeys.length > 0 && <p>{labels.secrets(secretKeys.join(', '))}</p>}
          {failure !== null && (
            <Failure title={labels.failed(failure.stage)} error={new Error(failure.message)} />
          )}
          <h2>{tools.title}</h2>
          <Tools connectionId={connectionId} />
        </>
      )}
    </Fetched>
  );
}
