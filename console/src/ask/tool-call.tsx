import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { MessagePart } from '../../../clients/typescript/src/index.ts';
import { GridFrame } from '../parts/grid-frame.tsx';
import { addressOf } from '../parts/statement-address.ts';
import { Failure, Fetched } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { visible } from '../parts/visible.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { InConversation } from './place.ts';

export type Call = Extract<MessagePart, { type: 'tool_call' }>;

const labels = texts.ask.tool;
const pageRows = 1_000;
/** Rows before the last, at whose sight more are asked for. */
const ahead = 50;

/** What the analyst did: in one line, with its statement and rows on request. */
export function ToolCall({ call, ...place }: InConversation & { call: Call }) {
  const [isOpen, setIsOpen] = useState(false);
  const { name, summary, status, input, resultId } = call;
  const sql = sqlOf(input);
  return (
    <details className="tool" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {labels.label(name, summary)} {status !== 'done' && <Status of={status} />}
      </summary>
      {isOpen && (
        <>
          <pre>{visible(sql ?? JSON.stringify(input, null, 2))}</pre>
          {sql !== undefined && (
            <p>
              <Link to="/query" {...addressOf(sql)}>
                {labels.query}
              </Link>
            </p>
          )}
          {resultId !== null && <Result resultId={resultId} {...place} />}
        </>
      )}
    </details>
  );
}

const sqlOf = (input: unknown): string | undefined =>
  typeof input === 'object' && input !== null && 'sql' in input && typeof input.sql === 'string'
    ? input.sql
    : undefined;

/** The rows as the analyst saw them. */
function Result({ resultId, projectId, chatId }: InConversation & { resultId: string }) {
  const path = { project_id: projectId, chat_id: chatId, result_id: resultId };
  const asked = useInfiniteQuery({
    queryKey: ['result', resultId],
    queryFn: ({ pageParam }) =>
      workspace.get('/v1/projects/{project_id}/conversations/{chat_id}/results/{result_id}', {
        params: { path, query: { limit: pageRows, ...(pageParam === null ? {} : { cursor: pageParam }) } },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = asked;
  const rows = useMemo(
    () =>
      (asked.data?.pages ?? []).flatMap(({ data }) =>
        (data.rows_with_column_order ?? []).map((row) => row.map(({ value }) => value)),
      ),
    [asked.data],
  );
  const more = useCallback(
    (_: number, to: number) => {
      const isAtEnd = to >= rows.length - ahead;
      if (isAtEnd && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
    },
    [rows.length, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage],
  );
  return (
    <Fetched asked={asked}>
      {({ pages }) => (
        <>
          <GridFrame
            label={labels.rows}
            columns={pages[0]!.data.columns}
            count={rows.length}
            rowAt={(index) => rows[index]}
            onShown={more}
          />
          {isFetchNextPageError && <Failure error={asked.error} onRetry={() => void fetchNextPage()} />}
        </>
      )}
    </Fetched>
  );
}
