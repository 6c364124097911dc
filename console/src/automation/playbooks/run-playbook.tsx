import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unplaced } from '../../parts/faults.ts';
import { useFirstFault } from '../../parts/first-fault.ts';
import { Form } from '../../parts/form.tsx';
import { Failure } from '../../parts/states.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';
import { ParameterValues } from '../parameter-values.tsx';
import { paramsOf } from '../parameters.ts';
import type { Playbook } from './content.ts';

/** The form of a playbook's parameters, which leads to the run that it starts. */
export function RunPlaybook({ playbook: { id, projectId, parameters } }: { playbook: Playbook }) {
  const navigate = useNavigate();
  const [values, setValues] = useState<Record<string, string>>({});
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      workspace.post('/v1/projects/{project_id}/playbooks/{playbook_id}/runs', {
        params: { path: { project_id: projectId, playbook_id: id } },
        body: { params: paramsOf(parameters, values) },
      }),
    onSuccess: ({ data }) =>
      navigate({ to: '/projects/$projectId/runs/$runId', params: { projectId, runId: data.id } }),
  });
  const form = useFirstFault(error);
  const at = ['params'];
  const left = unplaced(
    error,
    Object.keys(parameters).map((name) => [...at, name]),
  );
  return (
    <Form ref={form} onSubmit={() => mutate()}>
      <ParameterValues {...{ projectId, parameters, values, onChange: setValues, error, at }} />
      <p>
        <Button variant="filled" type="submit" disabled={isPending}>
          {texts.automation.playbooks.runIt}
        </Button>
      </p>
      {left !== null && <Failure error={left} />}
    </Form>
  );
}
