import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../parts/icon-button.tsx';
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
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <IconButton label={labels.delete(name)} icon={<Trash2 size={14} />} onClick={() => setIsAsking(true)} />
      <Sure
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        destroys
        question={labels.deleteSure(name === '' ? id : name)}
        yes={labels.deleteShort}
        onYes={() => change((before) => withoutNode(before, id))}
      />
    </>
  );
}
