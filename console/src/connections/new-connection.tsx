import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { faultAt, unplaced } from '../parts/faults.ts';
import { Form } from '../parts/form.tsx';
import { Input, Select } from '../parts/input.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { applying, isRequired, type Values, written } from './fields.ts';
import { OneField } from './one-field.tsx';
import { type ConnectionType, typesQuery } from './types.ts';

const labels = texts.connections.fresh;

/** A form of what the service says that a type of connection needs. */
export function NewConnection() {
  const asked = useQuery(typesQuery);
  return <Fetched asked={asked}>{({ types }) => <TypedForm types={types} />}</Fetched>;
}

function TypedForm({ types }: { types: readonly ConnectionType[] }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [type, setType] = useState(types[0]!.type);
  const [name, setName] = useState('');
  const [values, setValues] = useState<Values>({});
  const { config, secrets } = types.find((one) => one.type === type)!;
  const shown = { config: applying(config, values), secrets: applying(secrets, values) };
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      workspace.post('/v1/connections/data', {
        body: {
          name,
          type,
          config: written(shown.config, values),
          secrets: written(shown.secrets, values),
        },
      }),
    onSuccess: ({ data }) => {
      void queries.invalidateQueries({ queryKey: ['connections'] });
      void navigate({ to: '/connections/$connectionId', params: { connectionId: data.id } });
    },
  });
  const kinds = ['config', 'secrets'] as const;
  const places = [['name'], ...kinds.flatMap((kind) => shown[kind].map(({ key }) => [kind, key]))];
  const rest = unplaced(error, places);
  return (
    <Form onSubmit={() => mutate()}>
      <Select
        label={labels.type}
        value={type}
        onChange={({ target }) => {
          setType(target.value as ConnectionType['type']);
          setValues({});
        }}
      >
        {types.map((type) => (
          <option key={type.type} value={type.type}>
            {type.label}
          </option>
        ))}
      </Select>
      <Input
        label={labels.name}
        fault={faultAt(error, 'name')}
        required
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      {kinds.flatMap((kind) =>
        shown[kind].map((field) => (
          <OneField
            key={`${type} ${kind} ${field.key}`}
            field={field}
            isSecret={kind === 'secrets'}
            isNeeded={isRequired(field, values)}
            fault={faultAt(error, kind, field.key)}
            value={values[field.key] ?? ''}
            onChange={(value) => setValues((before) => ({ ...before, [field.key]: value }))}
          />
        )),
      )}
      <p>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.submit}
        </Button>
      </p>
      {rest !== null && <Failure error={rest} />}
    </Form>
  );
}
