import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { components } from '../../../../clients/typescript/src/index.ts';
import { Action } from '../../parts/action.tsx';
import { Input } from '../../parts/input.tsx';
import { Fetched } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { workspace } from '../../session/login.ts';
import * as texts from '../../texts/index.ts';

const labels = texts.automation.workflows.approvals;
const everyMs = 2_000;

interface InRun {
  workflowId: string;
  runId: string;
}

/** What a run waits for people to decide. */
export function Approvals({ workflowId, runId }: InRun) {
  const asked = useQuery({
    queryKey: ['workflow-approvals', runId],
    queryFn: () =>
      workspace.get('/v1/workflows/{workflow_id}/runs/{run_id}/approvals', {
        params: { path: { workflow_id: workflowId, run_id: runId } },
      }),
    refetchInterval: everyMs,
  });
  return (
    <Fetched asked={asked}>
      {({ items }) =>
        items
          .filter(({ status }) => status === 'pending')
          .map((approval) => <Approval key={approval.id} {...{ workflowId, runId, approval }} />)
      }
    </Fetched>
  );
}

type Asked = components['schemas']['WorkflowApproval'];

function Approval({ workflowId, runId, approval }: InRun & { approval: Asked }) {
  const { id, message, expiresAt } = approval;
  const [note, setNote] = useState('');
  const decide = (decision: 'allow' | 'deny') => () =>
    workspace.post('/v1/workflows/{workflow_id}/runs/{run_id}/approvals/{approval_id}', {
      params: { path: { workflow_id: workflowId, run_id: runId, approval_id: id } },
      body: { decision, ...(note === '' ? {} : { note }) },
    });
  const changes = [
    ['workflow-approvals', runId],
    ['workflow-run', workflowId, runId],
  ];
  return (
    <section className="asks" aria-label={labels.title}>
      <h4>{labels.title}</h4>
      <p className="pre">{message}</p>
      <Text c="dimmed">
        {labels.until} <Time at={expiresAt} />.
      </Text>
      <Input label={labels.note} value={note} onChange={({ target }) => setNote(target.value)} />
      <Group>
        <Action isPrimary changes={changes} does={decide('allow')}>
          {labels.allow}
        </Action>
        <Action changes={changes} does={decide('deny')}>
          {labels.deny}
        </Action>
      </Group>
    </section>
  );
}
