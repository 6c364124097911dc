import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Select } from '../parts/input.tsx';
import { List } from '../parts/list.tsx';
import { Pages } from '../parts/pages.tsx';
import { Failure } from '../parts/states.tsx';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

type Tool = components['schemas']['AppTool'];
type Policy = Tool['policy'];

const labels = texts.connections.tools;
const policies = Object.keys(labels.policies) as Policy[];

/** The tools of an app, and what the analyst may do with each. What they say of themselves is text of others. */
export function Tools({ connectionId }: { connectionId: string }) {
  return (
    <Pages
      queryKey={['tools', connectionId]}
      empty={labels.empty}
      fetchPage={(page) =>
        workspace.get('/v1/connections/app/{connection_id}/tools', {
          params: { path: { connection_id: connectionId }, query: page },
        })
      }
    >
      {(found) => (
        <List
          items={found}
          keyOf={({ name }) => name}
          columns={[
            { title: labels.columns.name, value: ({ name, title }) => title ?? name },
            {
              title: labels.columns.does,
              value: ({ description, readOnly, changed, notOfferedReason }) => (
                <>
                  <span className="pre">{description}</span>
                  {readOnly && (
                    <Text span c="dimmed">
                      {' '}
                      ({labels.readOnly})
                    </Text>
                  )}
                  {changed && <p>{labels.changed}</p>}
                  {notOfferedReason !== null && <Text className="fault">{notOfferedReason}</Text>}
                </>
              ),
            },
            {
              title: labels.columns.policy,
              value: (tool) => <Decision connectionId={connectionId} tool={tool} />,
            },
          ]}
        />
      )}
    </Pages>
  );
}

function Decision({ connectionId, tool }: { connectionId: string; tool: Tool }) {
  const { name, policy, fingerprint } = tool;
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: (chosen: Policy) =>
      workspace.put('/v1/connections/app/{connection_id}/tools/{tool}', {
        params: { path: { connection_id: connectionId, tool: name } },
        // Of the tool that was read here, not of one that took its place.
        body: { policy: chosen, fingerprint },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tools', connectionId] }),
  });
  return (
    <>
      <Select
        aria-label={labels.policy(name)}
        value={policy}
        disabled={isPending}
        onChange={({ target }) => mutate(target.value as Policy)}
      >
        {policies.map((policy) => (
          <option key={policy} value={policy}>
            {labels.policies[policy]}
          </option>
        ))}
      </Select>
      {error !== null && <Failure error={error} />}
    </>
  );
}
