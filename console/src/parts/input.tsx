import { Input as Base, type InputProps } from '@mantine/core';
import { ChevronsUpDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { type Control, Field, type FieldProps } from './field.tsx';

/** What may be said about a control; without a label it is the control of another field. */
type Said = Partial<Omit<FieldProps, 'children'>>;
type Native<Name extends 'input' | 'select' | 'textarea'> = Omit<ComponentProps<Name>, 'size' | 'children'> &
  Said;

function said({ label, hint, fault }: Said, draw: (control?: Control) => ReactNode) {
  return label === undefined ? draw() : <Field {...{ label, hint, fault }}>{draw}</Field>;
}

const invalid = (props: { 'aria-invalid'?: unknown }, control?: Control): InputProps['error'] =>
  props['aria-invalid'] !== undefined || control?.['aria-invalid'] !== undefined;

/** A text, a number or a day. */
export const Input = ({ label, hint, fault, ...props }: Native<'input'>) =>
  said({ label, hint, fault }, (control) => <Base {...props} error={invalid(props, control)} />);

/** One of few things, as the browser's own list: it works by keyboard, by touch and for screen readers. */
export const Select = ({ label, hint, fault, ...props }: Native<'select'> & { children: ReactNode }) =>
  said({ label, hint, fault }, (control) => (
    <Base
      {...props}
      component="select"
      error={invalid(props, control)}
      pointer
      rightSection={<ChevronsUpDown size={14} />}
    />
  ));

/** A text of several lines; `isCode` has it in letters of equal width. */
export const TextArea = ({
  label,
  hint,
  fault,
  isCode = false,
  ...props
}: Native<'textarea'> & { isCode?: boolean }) =>
  said({ label, hint, fault }, (control) => (
    <Base
      {...props}
      component="textarea"
      multiline
      error={invalid(props, control)}
      {...(isCode ? { ff: 'monospace' } : {})}
    />
  ));
