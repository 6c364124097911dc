import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { AdminsOnly } from './admins-only.tsx';
import { newContent } from './content.ts';
import { DefinitionForm } from './definition-form.tsx';

const route = getRouteApi('/framed/tests/new');

export function NewTestPage() {
  const { table } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  return (
    <AdminsOnly>
      <h1>{texts.verification.create}</h1>
      <DefinitionForm
        isNew
        initial={() => newContent(table)}
        label={texts.verification.define}
        save={async (body, { kind }) => {
          const { data } = await workspace.post('/v1/verification-tests/definitions', {
            body: { ...body, kind },
          });
          void queries.invalidateQueries({ queryKey: ['definitions'] });
          await navigate({
            to: '/tests/$definitionId',
            params: { definitionId: data.id },
            ignoreBlocker: true,
          });
        }}
      />
    </AdminsOnly>
  );
}
