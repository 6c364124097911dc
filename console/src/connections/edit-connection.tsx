import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { faultAt, unplaced } from '../parts/faults.ts';
import { Form } from '../parts/form.tsx';
import { Input, TextArea } from '../parts/input.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { applying, changedConfig, isRequired, type Values, written } from './fields.ts';
import { OneField } from './one-field.tsx';
import { type ConnectionType, typesQuery } from './types.ts';

const labels = texts.connections.connection;

type Connection = components['schemas']['DataConnection'];

interface EditConnectionProps {
  connection: Connection;
  onSaved: () => void;
}

/** Changes a connection by the form of its type; its type stays. */
export function EditConnection(props: EditConnectionProps) {
  const asked = useQuery(typesQuery);
  return (
    <Fetched asked={asked}>
      {({ types }) => {
        const type = types.find((type) => type.type === props.connection.type);
        return type === undefined ? null : <TypedForm {...props} type={type} />;
      }}
    </Fetched>
  );
}

function TypedForm({ connection, onSaved, type }: EditConnectionProps & { type: ConnectionType }) {
  const { id, config, secretKeys } = connection;
  const queries = useQueryClient();
  const [name, setName] = useState(connection.name);
  const [description, setDescription] = useState(connection.description);
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(Object.entries(config).map(([key, value]) => [key, String(value)])),
  );
  const shown = { config: applying(type.config, values), secrets: applying(type.secrets, values) };
  /** Secrets that are stored, and may not be given beside what is chosen now. */
  const gone = secretKeys.filter((secret) => !shown.secrets.some(({ key }) => key === secret));
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: () =>
      workspace.patch('/v1/connections/data/{connection_id}', {
        params: { path: { connection_id: id } },
        body: {
          ...{ name, description },
          config: changedConfig(type.config, values, config),
          secrets: {
            ...written(shown.secrets, values),
            ...Object.fromEntries(gone.map((key) => [key, null])),
          },
        },
      }),
    onSuccess: ({ data }) => {
      queries.setQueryData(['connection', id], data);
      void queries.invalidateQueries({ queryKey: ['connections'] });
      // What was written of secrets is stored now, and not kept here.
      const secrets = new Set(type.secrets.map(({ key }) => key));
      setValues((before) => Object.fromEntries(Object.entries(before).filter(([key]) => !secrets.has(key))));
      onSaved();
    },
  });
  const kinds = ['config', 'secrets'] as const;
  const places = kinds.flatMap((kind) => shown[kind].map(({ key }) => [kind, key]));
  const rest = unplaced(error, [['name'], ['description'], ...places]);
  return (
    <Form onSubmit={() => mutate()}>
      <Input
        label={texts.connections.fresh.name}
        fault={faultAt(error, 'name')}
        required
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextArea
        isCode
        label={texts.connections.fresh.description}
        fault={faultAt(error, 'description')}
        rows={2}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      {kinds.flatMap((kind) =>
        shown[kind].map((field) => {
          const isStored = kind === 'secrets' && secretKeys.includes(field.key);
          return (
            <OneField
              key={`${kind} ${field.key}`}
              {...{ field, isStored }}
              isSecret={kind === 'secrets'}
              isNeeded={!isStored && isRequired(field, values)}
              fault={faultAt(error, kind, field.key)}
              value={values[field.key] ?? ''}
              onChange={(value) => setValues((before) => ({ ...before, [field.key]: value }))}
            />
          );
        }),
      )}
      <Group>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.save}
        </Button>
        {isSuccess && <span role="status">{labels.saved}</span>}
      </Group>
      {rest !== null && <Failure error={rest} />}
    </Form>
  );
}
