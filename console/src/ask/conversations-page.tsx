import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { List } from '../parts/list.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Pages } from '../parts/pages.tsx';
import { Failure } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { Attached } from './attached.tsx';
import { Composer, type Question } from './composer.tsx';

const route = getRouteApi('/framed/projects/$projectId/ask');
const { columns } = texts.ask;
const titleLength = 100;

/** What was asked in a project, and a new question. */
export function ConversationsPage() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const path = { project_id: projectId };
  const begin = useMutation({
    mutationFn: (question: Question) =>
      workspace.post('/v1/projects/{project_id}/conversations', {
        params: { path },
        body: { title: question.message.slice(0, titleLength), ...question },
      }),
    onSuccess: async ({ data }) => {
      void queries.invalidateQueries({ queryKey: ['conversations', projectId] });
      await navigate({ to: '/projects/$projectId/ask/$chatId', params: { projectId, chatId: data.id } });
    },
  });
  return (
    <>
      <PageHead title={texts.ask.title} />
      <Composer
        keptAs={`question in ${projectId}`}
        label={texts.ask.send}
        isBusy={begin.isPending}
        onSend={(question) => begin.mutateAsync(question)}
      />
      {begin.error !== null && <Failure error={begin.error} />}
      <Attached projectId={projectId} />
      <h2>{texts.ask.all}</h2>
      <Pages
        queryKey={['conversations', projectId]}
        empty={texts.ask.empty}
        fetchPage={(page) =>
          workspace.get('/v1/projects/{project_id}/conversations', { params: { path, query: page } })
        }
      >
        {(found) => (
          <List
            items={found}
            keyOf={({ id }) => id}
            columns={[
              {
                title: columns.title,
                value: ({ id, title }) => (
                  <Link to="/projects/$projectId/ask/$chatId" params={{ projectId, chatId: id }}>
                    {title === '' ? id : title}
                  </Link>
                ),
              },
              { title: columns.messages, value: ({ messageCount }) => messageCount, isNumber: true },
              { title: columns.changed, value: ({ updatedAt }) => <Time at={updatedAt} /> },
            ]}
          />
        )}
      </Pages>
    </>
  );
}
