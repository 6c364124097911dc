import { Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type CSSProperties, memo, useMemo, useState } from 'react';
import { rowsOf } from '../charts/chart.ts';
import { Grid } from '../parts/grid.tsx';
import { More } from '../parts/more.tsx';
import { Panel } from '../parts/panel.tsx';
import type { SavedQuery, Tile } from '../saved/resources.ts';
import * as texts from '../texts/index.ts';
import type { TileData } from './board-data.ts';
import { chartOfTile, TileContent, titleOf } from './tile-content.tsx';

const labels = texts.dashboards.tile;

/** Where a tile is on the grid. */
export const placeStyle = ({ x, y, width, height }: Tile) =>
  ({
    '--column': x + 1,
    '--row': y + 1,
    '--wide': width,
    '--high': height,
  }) as CSSProperties;

interface ShownTileProps {
  tile: Tile;
  projectId: string;
  query: SavedQuery | undefined;
  data: TileData | undefined;
}

/** A tile as it is looked at. */
export const ShownTile = memo(function ShownTile({ tile, projectId, query, data }: ShownTileProps) {
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const title = titleOf(tile, query);
  const { queryId } = tile;
  const rows = useMemo(
    () => (isOpen && data?.execution !== undefined ? rowsOf(data.execution) : undefined),
    [isOpen, data],
  );
  return (
    <section className="tile" data-kind={tile.kind} style={placeStyle(tile)} aria-label={title}>
      {(tile.kind === 'query' || tile.title !== '') && (
        <header>
          <h2>{title}</h2>
          {queryId !== null && (
            <More label={labels.actions(title)}>
              <Menu.Item disabled={data?.execution === undefined} onClick={() => setIsOpen(true)}>
                {labels.rows}
              </Menu.Item>
              <Menu.Item
                onClick={() =>
                  void navigate({ to: '/query', search: { query: queryId, project: projectId } })
                }
              >
                {labels.query}
              </Menu.Item>
            </More>
          )}
        </header>
      )}
      <div className="tile-body">
        <TileContent
          {...{ tile, title }}
          chart={chartOfTile(tile, query)}
          execution={data?.execution}
          fault={data?.error?.detail}
        />
      </div>
      {tile.kind === 'query' && (
        <Panel title={title} isOpen={isOpen} onClose={() => setIsOpen(false)}>
          {rows !== undefined && (
            <Grid label={texts.table.rows} columns={rows.columns} rows={rows.rows} isSortable />
          )}
        </Panel>
      )}
    </section>
  );
});
