import { Text } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { type components, some } from '../../../clients/typescript/src/index.ts';
import { TableName } from '../data/table-name.tsx';
import { Action } from '../parts/action.tsx';
import { List } from '../parts/list.tsx';
import { Fetched } from '../parts/states.tsx';
import { projectsQuery } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { NewOverlay } from './new-overlay.tsx';

type Overlay = components['schemas']['VerificationTestOverlay'];

const labels = texts.verification.overlays;
/** Of the organization: the service has them in one list. */
const maxOverlays = 1_000;

/** Where a test is another than it is defined: for a table, for the tables of a project, or for all. */
export function Overlays({ definitionId }: { definitionId: string }) {
  const queryKey = ['overlays', definitionId];
  const asked = useQuery({
    queryKey,
    queryFn: async () => {
      const all = await some(maxOverlays, (page) =>
        workspace.get('/v1/verification-tests/overlays', { params: { query: page } }),
      );
      const found = all.filter((overlay) => overlay.definitionId === definitionId);
      return { found, isCut: all.length === maxOverlays };
    },
  });
  return (
    <>
      <Text c="dimmed">{labels.about}</Text>
      <Fetched asked={asked}>
        {({ found, isCut }) => (
          <>
            {isCut && <p role="status">{labels.cut(maxOverlays)}</p>}
            {found.length === 0 && !isCut && <p>{labels.none}</p>}
            {found.length > 0 && <Listed {...{ found, queryKey }} />}
          </>
        )}
      </Fetched>
      <NewOverlay definitionId={definitionId} queryKey={queryKey} />
    </>
  );
}

function Listed({ found, queryKey }: { found: Overlay[]; queryKey: QueryKey }) {
  return (
    <List
      label={labels.title}
      items={found}
      keyOf={({ id }) => id}
      columns={[
        { title: labels.columns.where, value: (one) => <Where of={one} /> },
        { title: labels.columns.what, value: changesOf },
        { title: labels.reason, value: ({ reason }) => reason },
        {
          title: labels.columns.remove,
          value: ({ id }) => (
            <Action
              destroys
              confirm={labels.confirm}
              changes={[queryKey]}
              does={() =>
                workspace.delete('/v1/verification-tests/overlays/{overlay_id}', {
                  params: { path: { overlay_id: id } },
                })
              }
            >
              {labels.columns.remove}
            </Action>
          ),
        },
      ]}
    />
  );
}

function Where({ of: { tableId, projectId } }: { of: Overlay }) {
  const { data: projects = [] } = useQuery(projectsQuery);
  if (tableId !== null) return <TableName id={tableId} />;
  if (projectId === null) return labels.everywhere;
  return labels.inProject(projects.find(({ id }) => id === projectId)?.name ?? projectId);
}

function changesOf({ enabled, severity, blocking, params }: Overlay): string {
  return [
    ...(enabled === null ? [] : [labels.enabled[`${enabled}`]]),
    ...(severity === null ? [] : [texts.verification.severities[severity]]),
    ...(blocking === null ? [] : [labels.blocking[`${blocking}`]]),
    ...(params === null ? [] : [JSON.stringify(params)]),
  ].join(', ');
}
