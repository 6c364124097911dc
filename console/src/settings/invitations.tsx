import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Action } from '../parts/action.tsx';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Failure } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { RoleChoice } from './role-choice.tsx';

const labels = texts.settings.invitations;
const queryKey = ['invitations'];

/** Those that are open, and a new one. */
export function Invitations() {
  return (
    <>
      <Invite />
      <Pages
        queryKey={queryKey}
        empty={labels.empty}
        fetchPage={(page) => workspace.get('/v1/invitations', { params: { query: page } })}
      >
        {(found) => (
          <List
            label={labels.title}
            items={found}
            keyOf={({ id }) => id}
            columns={[
              { title: texts.settings.email, value: ({ email }) => email },
              { title: texts.settings.role, value: ({ role }) => texts.settings.roles[role] },
              { title: texts.settings.expires, value: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                title: texts.settings.members.columns.actions,
                value: ({ id, email }) => (
                  <Action
                    destroys
                    confirm={labels.confirm(email)}
                    changes={[queryKey]}
                    does={() =>
                      workspace.delete('/v1/invitations/{invitation_id}', {
                        params: { path: { invitation_id: id } },
                      })
                    }
                  >
                    {labels.withdraw}
                  </Action>
                ),
              },
            ]}
          />
        )}
      </Pages>
    </>
  );
}

function Invite() {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<'admin' | 'member'>('member');
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: () => workspace.post('/v1/invitations', { body: { email, role } }),
    onSuccess: () => {
      setEmail('');
      return queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <Form isRow onSubmit={() => mutate()}>
        <Input
          label={texts.settings.email}
          className="short"
          type="email"
          required
          autoComplete="off"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <Field label={texts.settings.role}>
          {(control) => (
            <RoleChoice {...control} offered={['admin', 'member']} role={role} onChoose={setRole} />
          )}
        </Field>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.send}
        </Button>
      </Form>
      {error !== null && <Failure error={error} />}
      {data !== undefined && (
        <ShownOnce values={[[labels.url(data.data.email), data.data.url]]} onClose={reset} />
      )}
    </>
  );
}
