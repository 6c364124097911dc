import { useState } from 'react';
import type { Control } from '../../../parts/field.tsx';
import { Input } from '../../../parts/input.tsx';
import { hidden } from './members.ts';

interface SecretInputProps {
  control: Control;
  value: string;
  isEditable: boolean;
  onChange: (value: string) => void;
}

/** A secret is written, never read: left alone, or emptied again, it stays the one that is stored. */
export function SecretInput({ control, value, isEditable, onChange }: SecretInputProps) {
  const [isStored] = useState(value === hidden);
  return (
    <Input
      {...control}
      type="password"
      autoComplete="new-password"
      readOnly={!isEditable}
      placeholder={isStored ? hidden : undefined}
      value={value === hidden ? '' : value}
      onChange={({ target }) => onChange(target.value === '' && isStored ? hidden : target.value)}
    />
  );
}
