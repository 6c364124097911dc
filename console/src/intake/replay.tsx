import { Text } from '@mantine/core';
import { useState } from 'react';
import type { components } from '../../../clients/typescript/src/index.ts';
import { Action } from '../parts/action.tsx';
import { Failure } from '../parts/states.tsx';
import { useGone } from '../parts/use-gone.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';

type Batch = components['schemas']['IngestionBatch'];

const everyMs = 500;
const labels = texts.intake.replay;
const isOver = ({ status }: Batch) => ['applied', 'failed', 'aborted', 'expired'].includes(status);

/** Rows that an import put aside are tried once more, with the types that the table has now. */
export function Replay({ tableId, importId }: { tableId: string; importId: string }) {
  const [batch, setBatch] = useState<Batch>();
  const isGone = useGone();
  const again = async () => {
    setBatch(undefined);
    let { data: now } = await workspace.post('/v1/tables/{table_id}/quarantine/replays', {
      params: { path: { table_id: tableId } },
      body: { import_id: importId },
    });
    while (!isOver(now) && !isGone.current) {
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      const path = { table_id: tableId, batch_id: now.id };
      now = (await workspace.get('/v1/tables/{table_id}/ingestion-batches/{batch_id}', { params: { path } }))
        .data;
    }
    setBatch(now);
  };
  return (
    <>
      <Text c="dimmed">{labels.hint}</Text>
      <Action does={again} changes={[['catalog', tableId], ['tables']]}>
        {labels.again}
      </Action>
      {batch?.status === 'applied' && (
        <p role="status">{labels.done((batch.rowsInserted ?? 0) + (batch.rowsUpdated ?? 0))}</p>
      )}
      {batch !== undefined && batch.status !== 'applied' && (
        <Failure error={new Error(batch.error?.message ?? batch.status)} />
      )}
    </>
  );
}
