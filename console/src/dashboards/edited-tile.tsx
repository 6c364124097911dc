import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { GripVertical, MoveDiagonal2 } from 'lucide-react';
import type { ComponentProps } from 'react';
import { More } from '../parts/more.tsx';
import type { Filter, SavedQuery, Tile } from '../saved/resources.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import type { TileData } from './board-data.ts';
import { placeStyle } from './shown-tile.tsx';
import { chartOfTile, TileContent, titleOf } from './tile-content.tsx';

const labels = texts.dashboards.editing;
const mostRows = 2_000;

type Handle = ComponentProps<'button'>;

interface EditedTileProps {
  tile: Tile;
  query: SavedQuery | undefined;
  filters: readonly Filter[];
  /** What the saved dashboard shows in it; undefined for a tile that shows something else now. */
  data: TileData | undefined;
  isSaved: boolean;
  move: Handle;
  resize: Handle;
  onSettings: () => void;
  onRemove: () => void;
}

/** A tile that is moved, resized, set up and removed. */
export function EditedTile(props: EditedTileProps) {
  const { tile, query, filters, data, isSaved, move, resize, onSettings, onRemove } = props;
  const title = titleOf(tile, query);
  const own = useOwnRows(tile, query, filters, !isSaved);
  return (
    <section className="tile edited" data-kind={tile.kind} style={placeStyle(tile)} aria-label={title}>
      <header>
        <button type="button" className="handle" aria-label={labels.move(title)} {...move}>
          <GripVertical size={14} aria-hidden />
        </button>
        <h2>{title}</h2>
        <More label={texts.dashboards.tile.actions(title)}>
          <Menu.Item onClick={onSettings}>{labels.settings}</Menu.Item>
          <Menu.Item color="red" onClick={onRemove}>
            {labels.remove}
          </Menu.Item>
        </More>
      </header>
      <div className="tile-body">
        <TileContent
          {...{ tile, title }}
          chart={chartOfTile(tile, query)}
          execution={isSaved ? data?.execution : own.data}
          fault={isSaved ? data?.error?.detail : own.error?.message}
        />
      </div>
      <button type="button" className="handle corner" aria-label={labels.resize(title)} {...resize}>
        <MoveDiagonal2 size={14} aria-hidden />
      </button>
    </section>
  );
}

/** The rows of a tile that the service doesn't know yet: its query, with the defaults of the filters. */
export function useOwnRows(
  { queryId, bindings }: Tile,
  query: SavedQuery | undefined,
  filters: readonly Filter[],
  isWanted: boolean,
) {
  const params = Object.fromEntries(
    Object.entries(bindings).flatMap(([parameter, name]) => {
      const given = filters.find((filter) => filter.name === name)?.default ?? null;
      return given === null ? [] : [[parameter, given]];
    }),
  );
  return useQuery({
    queryKey: ['rows of a saved query', queryId, query?.revision, params],
    enabled: isWanted && query !== undefined,
    queryFn: async ({ signal }) =>
      (
        await workspace.post('/v1/projects/{project_id}/queries/{query_id}/executions', {
          params: { path: { project_id: query!.projectId, query_id: query!.id } },
          body: { params, limit: mostRows },
          signal,
        })
      ).data,
    staleTime: 60_000,
  });
}
