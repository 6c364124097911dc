import { Button, Group, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus, SlidersHorizontal } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { Empty } from '../parts/empty.tsx';
import { Input } from '../parts/input.tsx';
import { Panel } from '../parts/panel.tsx';
import { Failure, Fetched } from '../parts/states.tsx';
import { Sure } from '../parts/sure.tsx';
import { roomFor, sizeFor } from '../saved/layout.ts';
import { type Dashboard, savedQueriesQuery, type Tile } from '../saved/resources.ts';
import * as texts from '../texts/index.ts';
import { useBoardData } from './board-data.ts';
import { EditedTile } from './edited-tile.tsx';
import { FilterSettings } from './filter-settings.tsx';
import { OpenSettings } from './open-settings.tsx';
import { titleOf } from './tile-content.tsx';
import { useDraft } from './use-draft.ts';
import { useHandles } from './use-handles.ts';

const route = getRouteApi('/framed/projects/$projectId/dashboards/$dashboardId');
const labels = texts.dashboards.editing;
const noValues = {};

type Place = 'add' | 'filters' | { tile: string };

const newTileId = () => `til_${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

/** A dashboard that is edited: nothing is stored before it is saved, and nothing is lost by a reload. */
export function EditBoard({ dashboard }: { dashboard: Dashboard }) {
  const { projectId } = dashboard;
  const navigate = route.useNavigate();
  const { draft, ...edited } = useDraft(dashboard, () => navigate({ search: {} }));
  const { tiles, filters } = draft;
  const { data } = useBoardData(dashboard, noValues);
  const saved = useQuery(savedQueriesQuery(projectId));
  const queries = useMemo(() => new Map((saved.data ?? []).map((query) => [query.id, query])), [saved.data]);
  const stored = useMemo(() => new Map(dashboard.tiles.map((tile) => [tile.id, tile])), [dashboard.tiles]);
  const grid = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState('');
  const [place, setPlace] = useState<Place>();
  const [isDiscarding, setIsDiscarding] = useState(false);
  const titleFor = (tile: Tile) => titleOf(tile, queries.get(tile.queryId ?? ''));
  const handles = useHandles(grid, edited.changeTiles, (tile) => setSaid(labels.place(titleFor(tile), tile)));
  const add = (part: Partial<Tile> & Pick<Tile, 'kind'>, type: string | undefined) => {
    const id = newTileId();
    const empty = { queryId: null, title: '', text: null, chart: null, bindings: {} };
    edited.changeTiles((now) => {
      const size = sizeFor(type);
      return [...now, { id, ...empty, ...size, ...roomFor(now, size), ...part }];
    });
    setPlace({ tile: id });
  };
  const changeTile = (id: string, part: Partial<Tile>) =>
    edited.changeTiles((now) => now.map((tile) => (tile.id === id ? { ...tile, ...part } : tile)));
  /** The same query with the same values as in the dashboard that is stored. */
  const isStored = ({ id, queryId, bindings }: Tile) => {
    const before = stored.get(id);
    return before?.queryId === queryId && JSON.stringify(before.bindings) === JSON.stringify(bindings);
  };
  return (
    <form
      className="editing"
      onSubmit={(event) => {
        event.preventDefault();
        edited.save();
      }}
    >
      <h1 className="unseen">{dashboard.name}</h1>
      <div className="page-head">
        <Input
          aria-label={labels.name}
          className="board-name"
          required
          maxLength={200}
          value={draft.name}
          onChange={({ target }) => edited.change({ name: target.value })}
        />
        <Group>
          <Menu position="bottom-start">
            <Menu.Target>
              <Button leftSection={<Plus size={14} />}>{labels.add}</Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setPlace('add')}>{labels.addQuery}</Menu.Item>
              <Menu.Item onClick={() => add({ kind: 'text', text: labels.newText }, 'text')}>
                {labels.addText}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
          <Button leftSection={<SlidersHorizontal size={14} />} onClick={() => setPlace('filters')}>
            {labels.filters}
          </Button>
          <Button onClick={() => (edited.isChanged ? setIsDiscarding(true) : void edited.discard())}>
            {edited.isChanged ? labels.discard : texts.parts.cancel}
          </Button>
          <Button variant="filled" type="submit" disabled={edited.isSaving}>
            {labels.save}
          </Button>
        </Group>
      </div>
      <Input
        aria-label={labels.description}
        placeholder={labels.description}
        maxLength={2_000}
        value={draft.description}
        onChange={({ target }) => edited.change({ description: target.value })}
      />
      {edited.newer !== undefined ? (
        <div className="asks" role="alert">
          <p>{labels.conflict}</p>
          <Group>
            <Button disabled={edited.isSaving} onClick={() => edited.overwrite(edited.newer!)}>
              {labels.overwrite}
            </Button>
            <Button onClick={() => void edited.discard()}>{labels.theirs}</Button>
          </Group>
        </div>
      ) : (
        edited.error !== null && <Failure error={edited.error} />
      )}
      <p className="facts wide-only">{labels.keys}</p>
      <p className="facts narrow-only">{labels.narrow}</p>
      <Fetched asked={saved}>
        {() => (
          <div className="board" ref={grid}>
            {tiles.map((tile) => (
              <EditedTile
                key={tile.id}
                {...{ tile, filters }}
                query={queries.get(tile.queryId ?? '')}
                data={data?.tiles.get(tile.id)}
                isSaved={isStored(tile)}
                move={handles(tile, tiles, 'move')}
                resize={handles(tile, tiles, 'resize')}
                onSettings={() => setPlace({ tile: tile.id })}
                onRemove={() => edited.changeTiles((now) => now.filter(({ id }) => id !== tile.id))}
              />
            ))}
          </div>
        )}
      </Fetched>
      <p className="unseen" role="status">
        {said}
      </p>
      <Panel title={labels.addQuery} isOpen={place === 'add'} onClose={() => setPlace(undefined)}>
        {queries.size === 0 ? (
          <Empty>
            {labels.none} <Link to="/query">{labels.toQuery}</Link>
          </Empty>
        ) : (
          <div className="form">
            {[...queries.values()].map(({ id, name, chart }) => (
              <Button key={id} onClick={() => add({ kind: 'query', queryId: id }, chart?.type)}>
                {name}
              </Button>
            ))}
          </div>
        )}
      </Panel>
      <Panel title={labels.filters} isOpen={place === 'filters'} onClose={() => setPlace(undefined)}>
        <FilterSettings
          filters={filters}
          onChange={(now, renamed) =>
            edited.change({
              filters: now,
              ...(renamed === undefined ? {} : { tiles: tiles.map((tile) => rebound(tile, renamed)) }),
            })
          }
        />
      </Panel>
      <OpenSettings
        tile={typeof place === 'object' ? tiles.find(({ id }) => id === place.tile) : undefined}
        {...{ queries, filters, data, isStored, titleFor }}
        onClose={() => setPlace(undefined)}
        onChange={changeTile}
        onFilter={(filter) => edited.change({ filters: [...filters, filter] })}
      />
      <Sure
        isOpen={isDiscarding}
        onClose={() => setIsDiscarding(false)}
        question={labels.confirm}
        yes={labels.discard}
        onYes={() => void edited.discard()}
        destroys
      />
    </form>
  );
}

/** A tile whose bindings follow a filter that was renamed or removed. */
function rebound(tile: Tile, { from, to }: { from: string; to: string | undefined }): Tile {
  const bindings = Object.entries(tile.bindings).flatMap(([parameter, filter]) =>
    filter !== from ? [[parameter, filter]] : to === undefined ? [] : [[parameter, to]],
  );
  return { ...tile, bindings: Object.fromEntries(bindings) };
}
