import { useQuery } from '@tanstack/react-query';
import { Field } from '../../parts/field.tsx';
import { Select } from '../../parts/input.tsx';
import { Options } from '../../parts/options.tsx';
import { Unfetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';

const { fields } = texts.automation.playbooks;

interface ModelFieldProps {
  value: string;
  onChange: (model: string) => void;
  fault: string | undefined;
}

/** Which model carries it out. */
export function ModelField({ value, onChange, fault }: ModelFieldProps) {
  const asked = useQuery({ queryKey: ['models'], queryFn: () => workspace.get('/v1/models') });
  const models = (asked.data?.items ?? []).map(({ id, label }) => ({ id, name: label }));
  return (
    <Field label={fields.model} fault={fault}>
      {(control) => (
        <>
          <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
            <option value="">{fields.defaultModel}</option>
            <Options of={models} chosen={value} />
          </Select>
          <Unfetched asked={asked} />
        </>
      )}
    </Field>
  );
}
