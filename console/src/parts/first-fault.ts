import { useEffect, useRef } from 'react';

/** The form whose first field with a fault gets the focus when it was refused. */
export function useFirstFault(error: Error | null) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  return form;
}
