import { useMemo } from 'react';
import type { QueryAnswer } from '../../../clients/typescript/src/index.ts';
import { chartOf, type QueryChart, rowsOf } from '../charts/chart.ts';
import { ShownRows } from '../charts/shown-rows.tsx';
import { Markdown } from '../parts/later.tsx';
import { Loading } from '../parts/states.tsx';
import type { SavedQuery, Tile } from '../saved/resources.ts';
import * as texts from '../texts/index.ts';

const labels = texts.dashboards.tile;
const asTable = chartOf('table');

export const titleOf = ({ title, kind }: Tile, query: SavedQuery | undefined): string =>
  title !== '' ? title : kind === 'text' ? labels.text : (query?.name ?? labels.text);

/** Its own chart, or that of its query. */
export const chartOfTile = ({ chart }: Tile, query: SavedQuery | undefined): QueryChart =>
  chart ?? query?.chart ?? asTable;

interface TileContentProps {
  tile: Tile;
  title: string;
  chart: QueryChart;
  /** What it shows, or why nothing; undefined while it loads. */
  execution?: QueryAnswer | undefined;
  fault?: string | undefined;
}

/** What is within the frame of a tile. */
export function TileContent({ tile, title, chart, execution, fault }: TileContentProps) {
  const rows = useMemo(() => (execution === undefined ? undefined : rowsOf(execution)), [execution]);
  if (tile.kind === 'text') return <Markdown text={tile.text ?? ''} />;
  if (fault !== undefined)
    return (
      <div className="tile-fault" role="alert">
        <strong>{labels.fault}</strong>
        <p>{fault}</p>
      </div>
    );
  if (rows === undefined) return <Loading />;
  return (
    <>
      <ShownRows title={title} chart={chart} rows={rows} fills />
      {execution?.truncated === true && <p className="facts">{labels.cut}</p>}
    </>
  );
}
