import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { Failure } from './states.tsx';
import { Sure } from './sure.tsx';

interface ActionProps {
  children: ReactNode;
  does: () => Promise<unknown>;
  /** What is read anew once it is done. */
  changes?: readonly QueryKey[];
  /** Asked before it is done. */
  confirm?: string;
  isPlain?: boolean;
  isDisabled?: boolean;
}

/** A button that asks the service for something, waits for the answer, and says why it failed. */
export function Action({ children, does, changes = [], confirm, isPlain, isDisabled }: ActionProps) {
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: does,
    onSuccess: () => Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button
        type="button"
        className={isPlain ? 'plain' : undefined}
        disabled={isPending || isDisabled}
        onClick={() => (confirm === undefined ? mutate() : dialog.current?.showModal())}
      >
        {children}
      </button>
      {confirm !== undefined && (
        <Sure dialog={dialog} question={confirm} yes={children} onYes={() => mutate()} />
      )}
      {error !== null && <Failure error={error} />}
    </>
  );
}
