import { useQuery } from '@tanstack/react-query';
import type * as texts from '../texts/index.ts';
import { catalogsQuery } from './catalogs.ts';

export interface Known {
  tier: keyof typeof texts.data.tiers;
  /** Views have none. */
  tests?: keyof typeof texts.data.tests;
}

/** What the catalog adds to a list of tables and views, by id: it comes after the list itself. */
export const useKnown = () => useQuery({ ...catalogsQuery, select: byId });

type Catalogs = Awaited<ReturnType<typeof catalogsQuery.queryFn>>;

const byId = ({ tables, views }: Catalogs): ReadonlyMap<string, Known> =>
  new Map<string, Known>([
    ...tables.map(
      ({ tableId, modelingTier: tier, verification: { state: tests } }) =>
        [tableId, { tier, tests }] as const,
    ),
    ...views.map(({ viewId, modelingTier: tier }) => [viewId, { tier }] as const),
  ]);
