import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { Field } from '../../parts/field.tsx';
import { useFirstFault } from '../../parts/first-fault.ts';
import { Failure } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { emptyGraph, type Workflow } from './graph.ts';

const labels = texts.automation.workflows;

interface NewWorkflowProps {
  projectId: string;
  onMade: (made: Workflow) => unknown;
}

/** A new workflow of the project, which has no nodes yet. */
export function NewWorkflow({ projectId, onMade }: NewWorkflowProps) {
  const queries = useQueryClient();
  const [title, setTitle] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      workspace.post('/v1/workflows', { body: { project_id: projectId, title, graph: emptyGraph } }),
    onSuccess: ({ data }) => {
      void queries.invalidateQueries({ queryKey: ['workflows'] });
      return onMade(data);
    },
  });
  const form = useFirstFault(error);
  const left = unplaced(error, [['title']]);
  return (
    <details>
      <summary>{labels.new}</summary>
      <form
        ref={form}
        className="narrow"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Field label={labels.name} fault={faultAt(error, 'title')}>
          {(control) => (
            <input {...control} value={title} onChange={({ target }) => setTitle(target.value)} />
          )}
        </Field>
        <button type="submit" disabled={isPending}>
          {labels.create}
        </button>
        {left !== null && <Failure error={left} />}
      </form>
    </details>
  );
}
