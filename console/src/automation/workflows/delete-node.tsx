import { useRef } from 'react';
import { Sure } from '../../parts/sure.tsx';
import * as texts from '../../texts/index.ts';
import { type ChangeGraph, withoutNode } from './graph.ts';

const labels = texts.automation.workflows;

interface DeleteNodeProps {
  id: string;
  name: string;
  change: ChangeGraph;
}

/** Deletes a node once that is confirmed: the draft is saved soon after, and nothing brings it back. */
export function DeleteNode({ id, name, change }: DeleteNodeProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button
        type="button"
        className="plain"
        aria-label={labels.delete(name)}
        onClick={() => dialog.current?.showModal()}
      >
        {labels.deleteShort}
      </button>
      <Sure
        dialog={dialog}
        question={labels.deleteSure(name === '' ? id : name)}
        yes={labels.deleteShort}
        onYes={() => change((before) => withoutNode(before, id))}
      />
    </>
  );
}
