import { Panel } from '../parts/panel.tsx';
import type { Filter, SavedQuery, Tile } from '../saved/resources.ts';
import * as texts from '../texts/index.ts';
import type { BoardData } from './board-data.ts';
import { useOwnRows } from './edited-tile.tsx';
import { TileSettings } from './tile-settings.tsx';

interface OpenSettingsProps {
  /** The one whose settings are open. */
  tile: Tile | undefined;
  queries: ReadonlyMap<string, SavedQuery>;
  filters: readonly Filter[];
  data: BoardData | undefined;
  isStored: (tile: Tile) => boolean;
  titleFor: (tile: Tile) => string;
  onClose: () => void;
  onChange: (id: string, part: Partial<Tile>) => void;
  onFilter: (filter: Filter) => void;
}

/** The panel with the settings of one tile. */
export const OpenSettings = (props: OpenSettingsProps) => (
  <Panel title={texts.dashboards.editing.settings} isOpen={props.tile !== undefined} onClose={props.onClose}>
    {props.tile !== undefined && <Settings key={props.tile.id} {...props} tile={props.tile} />}
  </Panel>
);

function Settings({
  tile,
  queries,
  filters,
  data,
  isStored,
  onChange,
  onFilter,
}: OpenSettingsProps & { tile: Tile }) {
  const query = queries.get(tile.queryId ?? '');
  const isSaved = isStored(tile);
  const own = useOwnRows(tile, query, filters, !isSaved);
  const execution = isSaved ? data?.tiles.get(tile.id)?.execution : own.data;
  return (
    <TileSettings
      {...{ tile, query, filters, onFilter }}
      columns={execution?.columns ?? []}
      onChange={(part) => onChange(tile.id, part)}
    />
  );
}
