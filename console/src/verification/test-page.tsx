import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { OnDemand } from '../parts/on-demand.tsx';
import { Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { AdminsOnly } from './admins-only.tsx';
import { contentOf, type Definition } from './content.ts';
import { DefinitionForm } from './definition-form.tsx';
import { Overlays } from './overlays.tsx';

const route = getRouteApi('/framed/tests/$definitionId');
const told = texts.verification;

/** A test: how it is defined, and where it is another. */
export function TestPage() {
  const { definitionId } = route.useParams();
  return (
    <AdminsOnly>
      <Asked key={definitionId} definitionId={definitionId} />
    </AdminsOnly>
  );
}

function Asked({ definitionId }: { definitionId: string }) {
  const asked = useQuery({
    queryKey: ['definition of a test', definitionId],
    queryFn: () =>
      workspace.get('/v1/verification-tests/definitions/{definition_id}', {
        params: { path: { definition_id: definitionId } },
      }),
    // What is edited stays as it was read, with its revision.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return <Fetched asked={asked}>{({ data }) => <OneTest definition={data} />}</Fetched>;
}

function OneTest({ definition }: { definition: Definition }) {
  const [base, setBase] = useState(definition);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const params = { path: { definition_id: base.id } };
  return (
    <>
      <h1>{base.name}</h1>
      <p>
        <Link to="/tests">{texts.pages.tests}</Link>
        {'tableId' in base.target && (
          <>
            {' · '}
            <Link to="/tables/$tableId" params={{ tableId: base.target.tableId }}>
              {told.openTable}
            </Link>
          </>
        )}
      </p>
      <DefinitionForm
        isNew={false}
        initial={() => contentOf(base)}
        label={told.save}
        save={async (body) => {
          const { data } = await workspace.patch('/v1/verification-tests/definitions/{definition_id}', {
            params,
            body: { ...body, expected_revision: base.revision },
          });
          setBase(data);
          void queries.invalidateQueries({ queryKey: ['definitions'] });
        }}
      />
      <OnDemand title={told.overlays.title}>
        <Overlays definitionId={base.id} />
      </OnDemand>
      <div className="buttons">
        <Action
          isPlain
          confirm={told.confirm(base.name)}
          changes={[['definitions']]}
          does={async () => {
            await workspace.delete('/v1/verification-tests/definitions/{definition_id}', { params });
            await navigate({ to: '/tests', ignoreBlocker: true });
          }}
        >
          {told.remove}
        </Action>
      </div>
    </>
  );
}
