import { Button } from '@mantine/core';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { startOfDay } from './start-of-day.ts';

const labels = texts.settings.lake;

interface IssueLakeCredentialProps {
  queryKey: QueryKey;
  onIssued: (issued: components['schemas']['IssuedLakeCredential']) => void;
}

export function IssueLakeCredential({ queryKey, onIssued }: IssueLakeCredentialProps) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [day, setDay] = useState('');
  const { mutate, error, isPending, reset } = useMutation({
    // The secret is kept nowhere but where it is shown.
    gcTime: 0,
    mutationFn: () =>
      workspace.post('/v1/lake/credentials', {
        body: { name, ...(day === '' ? {} : { expires_at: startOfDay(day) }) },
      }),
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
        maxLength={255}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Input
        label={texts.settings.clients.expires}
        className="short"
        type="date"
        value={day}
        onChange={({ target }) => setDay(target.value)}
      />
      <p>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.issue}
        </Button>
      </p>
      {error !== null && <Failure error={error} />}
    </Form>
  );
}
