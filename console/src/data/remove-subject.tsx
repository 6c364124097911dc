import { useNavigate } from '@tanstack/react-router';
import { Action } from '../parts/action.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { isView } from './subject.ts';

const labels = texts.table.remove;

/** The service refuses it where something needs it, and says what. */
export function RemoveSubject({ id, name }: { id: string; name: string }) {
  const navigate = useNavigate();
  return (
    <Action
      destroys
      confirm={labels.confirm(name)}
      changes={[['tables']]}
      does={async () => {
        const query = { confirm: 'true' } as const;
        await (isView(id)
          ? workspace.delete('/v1/views/{view_id}', { params: { path: { view_id: id }, query } })
          : workspace.delete('/v1/tables/{table_id}', { params: { path: { table_id: id }, query } }));
        await navigate({ to: '/data' });
      }}
    >
      {isView(id) ? labels.view : labels.table}
    </Action>
  );
}
