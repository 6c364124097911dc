import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { faultAt, unplaced } from '../parts/faults.ts';
import { Field } from '../parts/field.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.connections.fresh;
const places = [['name'], ['url'], ['secrets', 'token']];

/** An MCP server. What its tools may do is decided once it has listed them. */
export function NewAppConnection() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [token, setToken] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      workspace.post('/v1/connections/app', {
        body: { name, type: 'mcp', url, ...(token === '' ? {} : { secrets: { token } }) },
      }),
    onSuccess: ({ data }) => {
      void queries.invalidateQueries({ queryKey: ['connections'] });
      void navigate({ to: '/app-connections/$connectionId', params: { connectionId: data.id } });
    },
  });
  const rest = unplaced(error, places);
  return (
    <form
      className="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Field label={labels.name} fault={faultAt(error, 'name')}>
        {(control) => (
          <input {...control} required value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <Field label={labels.address} fault={faultAt(error, 'url')}>
        {(control) => (
          <input
            {...control}
            required
            type="url"
            value={url}
            onChange={({ target }) => setUrl(target.value)}
          />
        )}
      </Field>
      <Field label={labels.token} fault={faultAt(error, 'secrets', 'token')}>
        {(control) => (
          <input
            {...control}
            type="password"
            autoComplete="off"
            value={token}
            onChange={({ target }) => setToken(target.value)}
          />
        )}
      </Field>
      <p>
        <button type="submit" disabled={isPending}>
          {labels.submit}
        </button>
      </p>
      {rest !== null && <Failure error={rest} />}
    </form>
  );
}
