import { Button, Checkbox, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Select } from '../parts/input.tsx';
import { asLongAs } from '../parts/polling.ts';
import { Failure } from '../parts/states.tsx';
import { useProjectId } from '../project/current.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { exportsKey } from './exports.tsx';

const labels = texts.query.export;
const formats = ['csv', 'csv.gz', 'parquet', 'xlsx', 'ndjson', 'arrow'] as const;
type Format = (typeof formats)[number];
const everyMs = 500;

/** All rows of a statement as files, without a limit. They can be had for a day. */
export function ExportAnswer({ sql }: { sql: string }) {
  const projectId = useProjectId();
  const [format, setFormat] = useState<Format>('csv');
  const [isForExcel, setIsForExcel] = useState(false);
  const isCsv = format === 'csv' || format === 'csv.gz';
  const begin = useMutation({
    mutationFn: () =>
      workspace.post('/v1/exports', {
        body: {
          ...{ sql, format, byte_order_mark: isCsv && isForExcel },
          ...(projectId === undefined ? {} : { project_id: projectId }),
        },
      }),
  });
  const id = begin.data?.data.id;
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['export of a statement', id],
    enabled: id !== undefined,
    queryFn: async () =>
      (await workspace.get('/v1/exports/{export_id}', { params: { path: { export_id: id! } } })).data,
    refetchInterval: asLongAs(({ finishedAt }) => finishedAt === null, everyMs),
  });
  const finishedAt = data?.finishedAt;
  // The list of what was exported has it at once, and as it ended.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it has changed whenever these did.
  useEffect(() => {
    if (id !== undefined) void queries.invalidateQueries({ queryKey: exportsKey });
  }, [queries, id, finishedAt]);
  const isRunning = id !== undefined && data?.finishedAt == null && error === null;
  return (
    <>
      <Group>
        <Select
          label={labels.format}
          value={format}
          onChange={({ target }) => setFormat(target.value as Format)}
        >
          {formats.map((format) => (
            <option key={format}>{format}</option>
          ))}
        </Select>
        {isCsv && (
          <Checkbox
            label={labels.forExcel}
            checked={isForExcel}
            onChange={({ target }) => setIsForExcel(target.checked)}
          />
        )}
        <Button variant="filled" disabled={begin.isPending || isRunning} onClick={() => begin.mutate()}>
          {labels.submit}
        </Button>
      </Group>
      {isRunning && <p role="status">{labels.running(data?.rowsWritten ?? 0)}</p>}
      {begin.error !== null && <Failure error={begin.error} />}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data?.error != null && <Failure error={new Error(data.error.message)} />}
      {data?.status === 'succeeded' && (
        <p role="status">
          {labels.done(data.rowsWritten)}{' '}
          {data.files.map(({ name, url }) => (
            <a key={name} href={url!} download={name}>
              {name}
            </a>
          ))}
        </p>
      )}
    </>
  );
}
