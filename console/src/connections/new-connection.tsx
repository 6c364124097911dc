import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { faultAt, unplaced } from '../parts/faults.ts';
import { Field } from '../parts/field.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { applying, type ConnectionField, isRequired, type Values, written } from './fields.ts';

const told = texts.connections.fresh;

/** A form of what the service says that a type of connection needs. */
export function NewConnection() {
  const asked = useQuery({
    queryKey: ['connection-types'],
    queryFn: () => workspace.get('/v1/connections/data/types'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <Fetched asked={asked}>{({ types }) => <Form types={types} />}</Fetched>;
}

interface Type {
  type: components['schemas']['DataConnection']['type'];
  label: string;
  config: ConnectionField[];
  secrets: ConnectionField[];
}

function Form({ types }: { types: readonly Type[] }) {
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
    <form
      className="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Field label={told.type}>
        {(control) => (
          <select
            {...control}
            value={type}
            onChange={({ target }) => {
              setType(target.value as Type['type']);
              setValues({});
            }}
          >
            {types.map((one) => (
              <option key={one.type} value={one.type}>
                {one.label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={told.name} fault={faultAt(error, 'name')}>
        {(control) => (
          <input {...control} required value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
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
        <button type="submit" disabled={isPending}>
          {told.submit}
        </button>
      </p>
      {rest !== null && <Failure error={rest} />}
    </form>
  );
}

interface OneFieldProps {
  field: ConnectionField;
  isSecret: boolean;
  isNeeded: boolean;
  fault: string | undefined;
  value: string;
  onChange: (value: string) => void;
}

function OneField({ field, isSecret, isNeeded, fault, value, onChange }: OneFieldProps) {
  const { label, type, values = [], example } = field;
  const options = type === 'boolean' ? ['true', 'false'] : values;
  const shownAs = (option: string) =>
    type === 'boolean' ? (option === 'true' ? told.yes : told.no) : option;
  const hint = example === undefined || isSecret ? undefined : told.example(String(example));
  return (
    <Field label={label} fault={fault} hint={hint}>
      {(control) =>
        options.length > 0 ? (
          <select
            {...control}
            required={isNeeded}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          >
            <option value="">{isNeeded ? '' : told.unset}</option>
            {options.map((option) => (
              <option key={option} value={option}>
                {shownAs(option)}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...control}
            required={isNeeded}
            type={isSecret ? 'password' : 'text'}
            autoComplete="off"
            inputMode={type === 'integer' ? 'numeric' : undefined}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  );
}
