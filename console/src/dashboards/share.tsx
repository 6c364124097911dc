import { Button, Checkbox, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { some } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { Empty } from '../parts/empty.tsx';
import { faultAt } from '../parts/faults.ts';
import { Form } from '../parts/form.tsx';
import { Input } from '../parts/input.tsx';
import { List } from '../parts/list.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import type { Dashboard } from '../saved/resources.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

const labels = texts.dashboards.share;
const most = 1_000;
const sharesKey = ['shares'];
const dayMs = 86_400_000;
const monthDays = 30;

/** A day as a field has it, in the reader's time zone. */
const dayOf = (at: Date): string =>
  `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;

/** Links by which anybody can look at a dashboard, until they end. */
export function Share({ dashboard }: { dashboard: Dashboard }) {
  const queries = useQueryClient();
  const [end, setEnd] = useState(() => dayOf(new Date(Date.now() + monthDays * dayMs)));
  const [isOpen, setIsOpen] = useState(false);
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: () =>
      workspace.post('/v1/shares', {
        body: {
          resource: { type: 'dashboard', id: dashboard.id },
          expires_at: new Date(`${end}T23:59:59`).toISOString(),
          open_filters: isOpen,
        },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: sharesKey }),
  });
  return (
    <>
      <Form onSubmit={() => mutate()}>
        <Text c="dimmed">{labels.hint}</Text>
        <Input
          type="date"
          label={labels.end}
          required
          min={dayOf(new Date())}
          value={end}
          fault={faultAt(error, 'expires_at')}
          onChange={({ target }) => setEnd(target.value)}
        />
        {dashboard.filters.length > 0 && (
          <Checkbox
            label={labels.open}
            checked={isOpen}
            onChange={({ target }) => setIsOpen(target.checked)}
          />
        )}
        <Button variant="filled" type="submit" disabled={isPending}>
          {labels.create}
        </Button>
      </Form>
      {error !== null && <Failure error={error} />}
      {data !== undefined && <ShownOnce values={[[labels.link, data.data.url]]} onClose={reset} />}
      <h2>{labels.all}</h2>
      <Links dashboardId={dashboard.id} />
    </>
  );
}

function Links({ dashboardId }: { dashboardId: string }) {
  const asked = useQuery({
    queryKey: sharesKey,
    queryFn: () => some(most, (page) => workspace.get('/v1/shares', { params: { query: page } })),
  });
  return (
    <Fetched asked={asked}>
      {(all) => {
        const own = all.filter(({ resource: { id } }) => id === dashboardId);
        return own.length === 0 ? (
          <Empty>{labels.none}</Empty>
        ) : (
          <List
            label={labels.all}
            items={own}
            keyOf={({ id }) => id}
            columns={[
              { title: labels.columns.end, value: ({ expiresAt }) => <Time at={expiresAt} /> },
              {
                title: labels.columns.used,
                value: ({ lastUsedAt }) => (lastUsedAt === null ? labels.never : <Time at={lastUsedAt} />),
              },
              {
                title: '',
                value: ({ id, revokedAt }) =>
                  revokedAt === null ? (
                    <Action
                      destroys
                      confirm={labels.confirm}
                      changes={[sharesKey]}
                      does={() =>
                        workspace.delete('/v1/shares/{share_id}', { params: { path: { share_id: id } } })
                      }
                    >
                      {labels.revoke}
                    </Action>
                  ) : (
                    labels.revoked
                  ),
              },
            ]}
          />
        );
      }}
    </Fetched>
  );
}
