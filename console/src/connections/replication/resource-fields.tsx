import { LinesInput } from '../../automation/workflows/config/lines-input.tsx';
import { faultAt, type Place } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import * as texts from '../../texts/index.ts';
import { MemberFields } from './member-fields.tsx';
import { PairsField } from './pairs-field.tsx';
import { cursorKinds, type HttpResource, paginationKinds, withMember } from './policy.ts';

const told = texts.connections.replication;
const pairs = [
  ['query_parameters', told.query, told.queryHint],
  ['initial_query_parameters', told.first, told.firstHint],
  ['field_mappings', told.mappings, told.mappingsHint],
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
    <fieldset>
      <legend>{told.resource(number)}</legend>
      <Field label={told.path} hint={told.pathHint} fault={faultAt(error, ...at, 'request_path')}>
        {(control) => (
          <input
            {...control}
            required
            autoComplete="off"
            value={resource.request_path}
            onChange={({ target }) => set('request_path', target.value)}
          />
        )}
      </Field>
      {pairs.map(([name, title, hint]) => (
        <PairsField
          key={name}
          {...{ title, hint }}
          fault={faultAt(error, ...at, name)}
          value={resource[name]}
          onChange={(value) => set(name, value)}
        />
      ))}
      <Field label={told.json} hint={told.jsonHint} fault={faultAt(error, ...at, 'json_string_fields')}>
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
        title={told.cursor.title}
        kinds={cursorKinds}
        labels={told.cursor}
        hints={{ field: told.cursor.fieldHint }}
        value={resource.cursor}
        error={error}
        at={[...at, 'cursor']}
        onChange={(value) => set('cursor', value)}
      />
      <MemberFields
        title={told.pagination.title}
        kinds={paginationKinds}
        labels={told.pagination}
        value={resource.pagination}
        error={error}
        at={[...at, 'pagination']}
        onChange={(value) => set('pagination', value)}
      />
      <button type="button" className="plain" onClick={onRemove}>
        {told.remove(number)}
      </button>
    </fieldset>
  );
}
