import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { faultAt, unplaced } from '../parts/faults.ts';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
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
    <Form onSubmit={() => mutate()}>
      <Input
        label={labels.name}
        fault={faultAt(error, 'name')}
        required
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Input
        label={labels.address}
        fault={faultAt(error, 'url')}
        required
        type="url"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
      />
      <Input
        label={labels.token}
        fault={faultAt(error, 'secrets', 'token')}
        type="password"
        autoComplete="off"
        value={token}
        onChange={({ target }) => setToken(target.value)}
      />
      <p>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.submit}
        </Button>
      </p>
      {rest !== null && <Failure error={rest} />}
    </Form>
  );
}
