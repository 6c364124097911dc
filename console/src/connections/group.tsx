import { type ReactNode, useId } from 'react';

interface GroupProps {
  title: string;
  hint?: string;
  /** What is wrong with its fields together; it can have the focus then. */
  fault: string | undefined;
  children: ReactNode;
}

/** Fields under a title, with a hint, and with what was said of them together. */
export function Group({ title, hint, fault, children }: GroupProps) {
  const id = useId();
  const described = [
    ...(fault === undefined ? [] : [`${id}-fault`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ].join(' ');
  return (
    <fieldset
      {...(described === '' ? {} : { 'aria-describedby': described })}
      {...(fault === undefined ? {} : { tabIndex: -1, 'aria-invalid': true })}
    >
      <legend>{title}</legend>
      {children}
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
    </fieldset>
  );
}
