import { type ReactNode, type RefObject, useId } from 'react';
import * as texts from '../texts/index.ts';

interface SureProps {
  dialog: RefObject<HTMLDialogElement | null>;
  question: string;
  /** What the button says that does it. */
  yes: ReactNode;
  onYes: () => void;
}

/** Asks before something is done that cannot be undone. */
export function Sure({ dialog, question, yes, onYes }: SureProps) {
  const title = useId();
  return (
    <dialog ref={dialog} aria-labelledby={title}>
      <form method="dialog">
        <p id={title}>{question}</p>
        <p className="buttons">
          <button type="submit" onClick={onYes}>
            {yes}
          </button>
          <button type="submit" className="plain">
            {texts.parts.cancel}
          </button>
        </p>
      </form>
    </dialog>
  );
}
