import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Action } from '../parts/action.tsx';
import { Empty } from '../parts/empty.tsx';
import { List } from '../parts/list.tsx';
import { More } from '../parts/more.tsx';
import { Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { savedQueriesQuery } from '../saved/resources.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.query.saved;

/** The saved queries of a project; each leads to itself. */
export function SavedQueries({ projectId, onChosen }: { projectId: string; onChosen: () => void }) {
  const query = savedQueriesQuery(projectId);
  const asked = useQuery(query);
  return (
    <Fetched asked={asked}>
      {(found) =>
        found.length === 0 ? (
          <Empty>{labels.empty}</Empty>
        ) : (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: labels.columns.name,
                value: ({ id, name, description }) => (
                  <>
                    <Link to="/query" search={{ query: id, project: projectId }} onClick={onChosen}>
                      {name}
                    </Link>
                    {description !== '' && <p className="facts">{description}</p>}
                  </>
                ),
              },
              { title: labels.columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
              {
                title: '',
                value: ({ id, name }) => (
                  <More label={`${texts.parts.moreActions}: ${name}`}>
                    <Action
                      destroys
                      confirm={labels.confirm(name)}
                      changes={[query.queryKey]}
                      does={() =>
                        workspace.delete('/v1/projects/{project_id}/queries/{query_id}', {
                          params: { path: { project_id: projectId, query_id: id } },
                        })
                      }
                    >
                      {labels.remove}
                    </Action>
                  </More>
                ),
              },
            ]}
          />
        )
      }
    </Fetched>
  );
}
