import { Button, Checkbox, Fieldset, Text } from '@mantine/core';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { OfCaller } from './caller.ts';
import { startOfDay } from './start-of-day.ts';

const labels = texts.settings.clients;
type Scope = keyof typeof labels.scope;
const scopes = Object.keys(labels.scope) as Scope[];
const maxName = 255;

interface IssueClientProps extends OfCaller {
  queryKey: QueryKey;
  onIssued: (issued: components['schemas']['IssuedApiClient']) => void;
}

/** A client gets at most the scopes of who issues it, and the rights of an administrator only from an owner. */
export function IssueClient({ me, queryKey, onIssued }: IssueClientProps) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>(['agent:read']);
  const [isAdmin, setIsAdmin] = useState(false);
  const [day, setDay] = useState('');
  const { mutate, error, isPending, reset } = useMutation({
    // The secret is kept nowhere but where it is shown.
    gcTime: 0,
    mutationFn: () => {
      const expires = day === '' ? {} : { expires_at: startOfDay(day) };
      const body = { name, scopes: [...chosen], admin: isAdmin, ...expires };
      return workspace.post('/v1/auth/m2m/clients', { body });
    },
    onSuccess: ({ data }) => {
      setName('');
      onIssued(data);
      reset();
      return queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <Form onSubmit={() => mutate()}>
      <Input
        label={labels.name}
        required
        maxLength={maxName}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Fieldset legend={labels.scopes}>
        {scopes
          .filter((scope) => me.scopes.includes(scope))
          .map((scope) => (
            <Checkbox
              key={scope}
              label={
                <>
                  {labels.scope[scope]} ( <code>{scope}</code> )
                </>
              }
              checked={chosen.includes(scope)}
              onChange={({ target }) =>
                setChosen(
                  scopes.filter((other) => (other === scope ? target.checked : chosen.includes(other))),
                )
              }
            />
          ))}
        {me.role === 'owner' && (
          <Checkbox
            label={labels.admin}
            checked={isAdmin}
            onChange={({ target }) => setIsAdmin(target.checked)}
          />
        )}
        <Text c="dimmed">{labels.limit}</Text>
      </Fieldset>
      <Input
        label={labels.expires}
        className="short"
        type="date"
        value={day}
        onChange={({ target }) => setDay(target.value)}
      />
      <p>
        <Button variant="filled" type="submit" disabled={isPending || chosen.length === 0}>
          {labels.issue}
        </Button>
      </p>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
