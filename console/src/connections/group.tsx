import { Fieldset } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { describedBy, Explained } from '../parts/explained.tsx';

interface GroupProps {
  title: string;
  hint?: string;
  /** What is wrong with its fields together; it can have the focus then. */
  fault: string | undefined;
  children: ReactNode;
}

/** Fields under a title, with a hint, and with what was said of them together. */
export function Group({ title, hint, fault, children }: GroupProps) {
  const explanation = { id: useId(), hint, fault };
  return (
    <Fieldset
      legend={title}
      {...describedBy(explanation)}
      {...(fault === undefined ? {} : { tabIndex: -1, 'aria-invalid': true })}
    >
      {children}
      <Explained {...explanation} />
    </Fieldset>
  );
}
