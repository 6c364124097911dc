import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unplaced } from '../../parts/faults.ts';
import { useFirstFault } from '../../parts/first-fault.ts';
import { Form } from '../../parts/form.tsx';
import { Failure, Unfetched } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { ParameterValues } from '../parameter-values.tsx';
import { paramsOf } from '../parameters.ts';
import { readGraph, type Workflow } from './graph.ts';

const labels = texts.automation.workflows.run;

interface RunWorkflowProps {
  workflow: Workflow;
  onStarted: (runId: string) => void;
}

/** The form of the parameters of the active version, which starts a run of it. */
export function RunWorkflow({ workflow, onStarted }: RunWorkflowProps) {
  const { id, projectId, activeVersionId, status } = workflow;
  const path = { workflow_id: id };
  const queries = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>({});
  const version = useQuery({
    queryKey: ['workflow-version', activeVersionId],
    queryFn: () =>
      workspace.get('/v1/workflows/{workflow_id}/versions/{version_id}', {
        params: { path: { ...path, version_id: activeVersionId } },
      }),
    enabled: activeVersionId !== '',
  });
  const parameters = readGraph(version.data?.data.graph ?? {})?.parameters ?? {};
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      workspace.post('/v1/workflows/{workflow_id}/runs', {
        params: { path },
        body: { params: paramsOf(parameters, values) },
      }),
    onSuccess: ({ data }) => {
      void queries.invalidateQueries({ queryKey: ['workflow-runs', id] });
      onStarted(data.id);
    },
  });
  const form = useFirstFault(error);
  if (status !== 'active') return <p>{labels.inactive}</p>;
  // What it is asked for is not known before.
  if (activeVersionId !== '' && version.data === undefined) return <Unfetched asked={version} />;
  const at = ['params'];
  const left = unplaced(
    error,
    Object.keys(parameters).map((name) => [...at, name]),
  );
  return (
    <Form ref={form} onSubmit={() => mutate()}>
      <Text c="dimmed">{labels.hint}</Text>
      <ParameterValues {...{ projectId, parameters, values, onChange: setValues, error, at }} />
      <p>
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.start}
        </Button>
      </p>
      {left !== null && <Failure error={left} />}
    </Form>
  );
}
