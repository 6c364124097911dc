import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useRef } from 'react';
import * as texts from '../texts/index.ts';
import { Failure } from './states.tsx';

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
  const title = useId();
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
        <dialog ref={dialog} aria-labelledby={title}>
          <form method="dialog">
            <p id={title}>{confirm}</p>
            <p className="buttons">
              <button type="submit" onClick={() => mutate()}>
                {children}
              </button>
              <button type="submit" className="plain">
                {texts.parts.cancel}
              </button>
            </p>
          </form>
        </dialog>
      )}
      {error !== null && <Failure error={error} />}
    </>
  );
}
