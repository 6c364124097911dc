import { useCallback, useId } from 'react';
import * as texts from '../texts/index.ts';
import { Null } from './null.tsx';
import { wholeText } from './value.ts';

interface WholeValueProps {
  /** Of the column. */
  name: string;
  value: unknown;
  onClose: () => void;
}

/** What a cell has no room for. */
export function WholeValue({ name, value, onClose }: WholeValueProps) {
  const title = useId();
  const show = useCallback((dialog: HTMLDialogElement | null) => dialog?.showModal(), []);
  return (
    <dialog ref={show} className="value" aria-labelledby={title} onClose={onClose}>
      <h2 id={title}>{name}</h2>
      <pre>{value === null || value === undefined ? <Null /> : wholeText(value)}</pre>
      <form method="dialog">
        <button type="submit" className="plain">
          {texts.parts.close}
        </button>
      </form>
    </dialog>
  );
}
