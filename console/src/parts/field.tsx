import { Input } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { describedBy } from './explained.tsx';

const order = ['label' as const, 'input' as const, 'error' as const, 'description' as const];

/** What a control takes over from its field. */
export interface Control {
  id: string;
  'aria-invalid'?: true;
  'aria-describedby'?: string;
}

export interface FieldProps {
  label: ReactNode;
  hint?: string | undefined;
  /** What is wrong with its value. */
  fault?: string | undefined;
  children: (control: Control) => ReactNode;
}

/** A control under its label, with a hint, and with what the service said of it. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  return (
    <Input.Wrapper
      {...{ id, label }}
      description={hint}
      error={fault}
      errorProps={{ className: 'fault' }}
      inputWrapperOrder={order}
    >
      {children({
        id,
        ...(fault === undefined ? {} : { 'aria-invalid': true }),
        ...describedBy({ id, hint, fault }),
      })}
    </Input.Wrapper>
  );
}
