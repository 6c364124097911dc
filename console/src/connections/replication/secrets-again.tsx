import { useQuery } from '@tanstack/react-query';
import { faultAt } from '../../parts/faults.ts';
import type { Values } from '../fields.ts';
import { OneField } from '../one-field.tsx';
import { typesQuery } from '../types.ts';

interface SecretsAgainProps {
  type: string;
  /** By key: those that the service wants again. */
  secrets: Values;
  error: Error | null;
  onChange: (secrets: Values) => void;
}

/** Secrets that have to be given again for what was changed. */
export function SecretsAgain({ type, secrets, error, onChange }: SecretsAgainProps) {
  const { data } = useQuery(typesQuery);
  const fields = data?.types.find((one) => one.type === type)?.secrets ?? [];
  return Object.entries(secrets).map(([key, value]) => (
    <OneField
      key={key}
      field={
        fields.find((field) => field.key === key) ?? { key, label: key, required: false, type: 'string' }
      }
      isSecret
      isNeeded={false}
      fault={faultAt(error, 'secrets', key)}
      value={value}
      onChange={(written) => onChange({ ...secrets, [key]: written })}
    />
  ));
}
