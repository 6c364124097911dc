import { type ReactNode, useId } from 'react';
import { describedBy, Explained } from './explained.tsx';

/** What a control takes over from its field. */
export interface Control {
  id: string;
  'aria-invalid'?: true;
  'aria-describedby'?: string;
}

interface FieldProps {
  label: string;
  hint?: string | undefined;
  /** What is wrong with its value. */
  fault?: string | undefined;
  children: (control: Control) => ReactNode;
}

/** A control under its label, with a hint, and with what the service said of it. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const explanation = { id, hint, fault };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(fault === undefined ? {} : { 'aria-invalid': true }),
        ...describedBy(explanation),
      })}
      <Explained {...explanation} />
    </div>
  );
}
