import { Button, Fieldset } from '@mantine/core';
import { faultAt, type Place } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import { Input } from '../../parts/input.tsx';
import { LinesInput } from '../../parts/lines-input.tsx';
import * as texts from '../../texts/index.ts';
import { MemberFields } from './member-fields.tsx';
import { PairsField } from './pairs-field.tsx';
import { cursorKinds, type HttpResource, paginationKinds, withMember } from './policy.ts';

const labels = texts.connections.replication;
const pairs = [
  ['query_parameters', labels.query, labels.queryHint],
  ['initial_query_parameters', labels.first, labels.firstHint],
  ['field_mappings', labels.mappings, labels.mappingsHint],
] as const;

interface ResourceFieldsProps {
  number: number;
  resource: HttpResource;
  error: Error | null;
  at: Place;
  onChange: (resource: HttpResource) => void;
  onRemove: () => void;
}

/** How one resource of an HTTP source is read. */
export function ResourceFields({ number, resource, error, at, onChange, onRemove }: ResourceFieldsProps) {
  const set = (name: keyof HttpResource, value: unknown) =>
    onChange(withMember(resource, name, value) ?? { request_path: '' });
  return (
    <Fieldset legend={labels.resource(number)}>
      <Input
        label={labels.path}
        hint={labels.pathHint}
        fault={faultAt(error, ...at, 'request_path')}
        required
        autoComplete="off"
        value={resource.request_path}
        onChange={({ target }) => set('request_path', target.value)}
      />
      {pairs.map(([name, title, hint]) => (
        <PairsField
          key={name}
          {...{ title, hint }}
          fault={faultAt(error, ...at, name)}
          value={resource[name]}
          onChange={(value) => set(name, value)}
        />
      ))}
      <Field label={labels.json} hint={labels.jsonHint} fault={faultAt(error, ...at, 'json_string_fields')}>
        {(control) => (
          <LinesInput
            control={control}
            isEditable
            value={resource.json_string_fields ?? []}
            onChange={(lines) => set('json_string_fields', lines.length === 0 ? undefined : lines)}
          />
        )}
      </Field>
      <MemberFields
        title={labels.cursor.title}
        kinds={cursorKinds}
        labels={labels.cursor}
        hints={{ field: labels.cursor.fieldHint }}
        value={resource.cursor}
        error={error}
        at={[...at, 'cursor']}
        onChange={(value) => set('cursor', value)}
      />
      <MemberFields
        title={labels.pagination.title}
        kinds={paginationKinds}
        labels={labels.pagination}
        value={resource.pagination}
        error={error}
        at={[...at, 'pagination']}
        onChange={(value) => set('pagination', value)}
      />
      <Button onClick={onRemove}>{labels.remove(number)}</Button>
    </Fieldset>
  );
}
