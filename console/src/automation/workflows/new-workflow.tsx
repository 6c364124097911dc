import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { faultAt, unplaced } from '../../parts/faults.ts';
import { useFirstFault } from '../../parts/first-fault.ts';
import { Form } from '../../parts/form.tsx';
import { Input } from '../../parts/input.tsx';
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
    <Form ref={form} onSubmit={() => mutate()}>
      <Input
        label={labels.name}
        fault={faultAt(error, 'title')}
        value={title}
        onChange={({ target }) => setTitle(target.value)}
      />
      <Button variant="filled" type="submit" disabled={isPending}>
        {labels.create}
      </Button>
      {left !== null && <Failure error={left} />}
    </Form>
  );
}
