import type { ComponentProps } from 'react';

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit' | 'className'> {
  onSubmit: () => void;
  /** Fields beside each other, with the button at their end. */
  isRow?: boolean;
  isWide?: boolean;
}

/** Fields that are sent together, with the page staying where it is. */
export function Form({ onSubmit, isRow = false, isWide = false, ...rest }: FormProps) {
  return (
    <form
      className={`form ${isRow ? 'row' : ''} ${isWide ? 'wide' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      {...rest}
    />
  );
}
