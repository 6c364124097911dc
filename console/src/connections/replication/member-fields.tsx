import { faultAt, type Place } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import { Input, Select } from '../../parts/input.tsx';
import * as texts from '../../texts/index.ts';
import { Group } from '../group.tsx';
import { type MemberKind, withMember } from './policy.ts';

interface MemberFieldsProps<Map extends object> {
  title: string;
  kinds: Record<keyof Map, MemberKind>;
  labels: Record<keyof Map, string>;
  hints?: Partial<Record<keyof Map, string>>;
  value: Map | undefined;
  error: Error | null;
  at: Place;
  onChange: (value: Map | undefined) => void;
}

/** The members of a part of a policy, each in its control. What is left empty is left out. */
export function MemberFields<Map extends object>(props: MemberFieldsProps<Map>) {
  const { title, kinds, labels, hints, value, error, at, onChange } = props;
  const names = Object.keys(kinds) as (keyof Map & string)[];
  const own = faultAt(error, ...at);
  const isOfMember = names.some((name) => faultAt(error, ...at, name) !== undefined);
  return (
    <Group title={title} fault={isOfMember ? undefined : own}>
      {names.map((name) => {
        const kind = kinds[name];
        const text = value?.[name] === undefined ? '' : String(value[name]);
        const change = (written: string) =>
          onChange(
            withMember(
              value,
              name,
              written === '' ? undefined : kind === 'number' ? Number(written) : written,
            ),
          );
        return (
          <Field key={name} label={labels[name]} hint={hints?.[name]} fault={faultAt(error, ...at, name)}>
            {(control) =>
              typeof kind === 'string' ? (
                <Input
                  {...control}
                  type={kind}
                  autoComplete="off"
                  value={text}
                  onChange={({ target }) => change(target.value)}
                />
              ) : (
                <Select {...control} value={text} onChange={({ target }) => change(target.value)}>
                  {['', ...kind].map((one) => (
                    <option key={one} value={one}>
                      {one === '' ? texts.connections.replication.unset : one}
                    </option>
                  ))}
                </Select>
              )
            }
          </Field>
        );
      })}
    </Group>
  );
}
