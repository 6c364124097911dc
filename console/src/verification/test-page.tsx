import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { changesOf } from '../parts/changes.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { More } from '../parts/more.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { AdminsOnly } from './admins-only.tsx';
import { contentOf, type Definition } from './content.ts';
import { DefinitionForm } from './definition-form.tsx';
import { Overlays } from './overlays.tsx';

const route = getRouteApi('/framed/tests/$definitionId');
const labels = texts.verification;
const keyOf = (definitionId: string) => ['definition of a test', definitionId];

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
    queryKey: keyOf(definitionId),
    queryFn: () =>
      workspace.get('/v1/verification-tests/definitions/{definition_id}', {
        params: { path: { definition_id: definitionId } },
      }),
    gcTime: 0,
  });
  return <Fetched asked={asked}>{({ data }) => <OneTest definition={data} />}</Fetched>;
}

function OneTest({ definition }: { definition: Definition }) {
  // What is edited stays as it was read, and is sent with the revision that it began with.
  const [base, setBase] = useState(definition);
  const [loads, setLoads] = useState(0);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const params = { path: { definition_id: base.id } };
  const queryKey = keyOf(base.id);
  const form = (
    <>
      <DefinitionForm
        key={loads}
        isNew={false}
        initial={() => contentOf(base)}
        label={labels.save}
        save={async (body, { before }) => {
          const saved = await workspace.patch('/v1/verification-tests/definitions/{definition_id}', {
            params,
            body: { ...changesOf(body, before), expected_revision: base.revision },
          });
          setBase(saved.data);
          queries.setQueryData(queryKey, saved);
          void queries.invalidateQueries({ queryKey: ['definitions'] });
        }}
        onRefused={() => queries.invalidateQueries({ queryKey })}
      />
      {definition.revision > base.revision && (
        <p>
          <Button
            onClick={() => {
              setBase(definition);
              setLoads(loads + 1);
            }}
          >
            {texts.automation.newest}
          </Button>
        </p>
      )}
    </>
  );
  return (
    <>
      <PageHead title={base.name}>
        {'tableId' in base.target && (
          <LinkButton to="/tables/$tableId" params={{ tableId: base.target.tableId }}>
            {labels.openTable}
          </LinkButton>
        )}
        <More>
          <Action
            destroys
            confirm={labels.confirm(base.name)}
            changes={[['definitions']]}
            does={async () => {
              await workspace.delete('/v1/verification-tests/definitions/{definition_id}', { params });
              await navigate({ to: '/tests', ignoreBlocker: true });
            }}
          >
            {labels.remove}
          </Action>
        </More>
      </PageHead>
      <PageTabs
        label={base.name}
        tabs={[
          { name: 'definition', title: labels.definition, isKept: true, content: form },
          {
            name: 'overlays',
            title: labels.overlays.title,
            content: <Overlays definitionId={base.id} />,
          },
        ]}
      />
    </>
  );
}
