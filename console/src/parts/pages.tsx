import { Button } from '@mantine/core';
import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as texts from '../texts/index.ts';
import { Empty } from './empty.tsx';
import { asLongAs } from './polling.ts';
import { Fetched } from './states.tsx';

interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

interface PagesProps<Item> {
  queryKey: QueryKey;
  /** A page of the list, the first without a cursor. */
  fetchPage: (page: { cursor?: string }) => Promise<Page<Item>>;
  /** Shown where there are none. */
  empty: string;
  /** How often to fetch again while the page is visible. With `isUnderWay`, only while an item is under way. */
  everyMs?: number | undefined;
  isUnderWay?: (item: Item) => boolean;
  children: (items: Item[]) => ReactNode;
}

/** A list of the service: its first page, and more on demand. */
export function Pages<Item>({ queryKey, fetchPage, empty, everyMs, isUnderWay, children }: PagesProps<Item>) {
  const asked = useInfiniteQuery<Page<Item>, Error, InfiniteData<Page<Item>>, QueryKey, string | null>({
    queryKey,
    queryFn: ({ pageParam }) => fetchPage(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    ...(everyMs === undefined
      ? {}
      : {
          refetchInterval: asLongAs(
            ({ pages }) => isUnderWay === undefined || pages.some(({ items }) => items.some(isUnderWay)),
            everyMs,
          ),
        }),
  });
  return (
    <Fetched asked={asked}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        return items.length === 0 ? (
          <Empty>{empty}</Empty>
        ) : (
          <>
            {children(items)}
            {asked.hasNextPage && (
              <p>
                <Button disabled={asked.isFetchingNextPage} onClick={() => void asked.fetchNextPage()}>
                  {texts.parts.more}
                </Button>
              </p>
            )}
          </>
        );
      }}
    </Fetched>
  );
}
