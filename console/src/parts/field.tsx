import { type ReactNode, useId } from 'react';

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
  const described = [
    ...(fault === undefined ? [] : [`${id}-fault`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ].join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(fault === undefined ? {} : { 'aria-invalid': true }),
        ...(described === '' ? {} : { 'aria-describedby': described }),
      })}
      {fault !== undefined && (
        <p className="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
