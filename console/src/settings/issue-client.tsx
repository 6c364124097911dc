import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
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
  const [nameField, dayField] = [useId(), useId()];
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
    <form
      className="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <label htmlFor={nameField}>{labels.name}</label>
      <input
        id={nameField}
        required
        maxLength={maxName}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <fieldset>
        <legend>{labels.scopes}</legend>
        {scopes
          .filter((scope) => me.scopes.includes(scope))
          .map((scope) => (
            <label key={scope} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                onChange={({ target }) =>
                  setChosen(
                    scopes.filter((other) => (other === scope ? target.checked : chosen.includes(other))),
                  )
                }
              />
              {labels.scope[scope]} (<code>{scope}</code>)
            </label>
          ))}
        {me.role === 'owner' && (
          <label className="check">
            <input type="checkbox" checked={isAdmin} onChange={({ target }) => setIsAdmin(target.checked)} />
            {labels.admin}
          </label>
        )}
        <p className="hint">{labels.limit}</p>
      </fieldset>
      <label htmlFor={dayField}>{labels.expires}</label>
      <input
        id={dayField}
        className="short"
        type="date"
        value={day}
        onChange={({ target }) => setDay(target.value)}
      />
      <p>
        <button type="submit" disabled={isPending || chosen.length === 0}>
          {labels.issue}
        </button>
      </p>
      {error !== null && <Failure error={error} />}
    </form>
  );
}
