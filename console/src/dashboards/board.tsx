import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Maximize, Pencil, RefreshCw, Share2 } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { Action } from '../parts/action.tsx';
import { Empty } from '../parts/empty.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { More } from '../parts/more.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Panel } from '../parts/panel.tsx';
import { Failure, Unfetched } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { type Dashboard, savedQueriesQuery } from '../saved/resources.ts';
import { download } from '../session/download.ts';
import { workspace } from '../session/login.ts';
import * as texts from '../texts/index.ts';
import { type BoardData, useBoardData } from './board-data.ts';
import { FilterBar, useTyped } from './filter-bar.tsx';
import { Share } from './share.tsx';
import { ShownTile } from './shown-tile.tsx';

const route = getRouteApi('/framed/projects/$projectId/dashboards/$dashboardId');
const labels = texts.dashboards;
const formats = ['pdf', 'png'] as const;

/** A dashboard as it is looked at: its filters, and its tiles from one snapshot of the data. */
export function Board({ dashboard }: { dashboard: Dashboard }) {
  const { id, projectId, name, tiles, filters } = dashboard;
  const frame = useRef<HTMLDivElement>(null);
  const navigate = route.useNavigate();
  const typed = useTyped(filters);
  const asked = useBoardData(dashboard, typed);
  const saved = useQuery(savedQueriesQuery(projectId));
  const queries = useMemo(() => new Map((saved.data ?? []).map((query) => [query.id, query])), [saved.data]);
  const [isSharing, setIsSharing] = useState(false);
  const { data, error, isFetching, refetch } = asked;
  const ordered = useMemo(() => [...tiles].sort((a, b) => a.y - b.y || a.x - b.x), [tiles]);
  const path = { project_id: projectId, dashboard_id: id };
  return (
    <div className="board-page" ref={frame}>
      <PageHead title={name} facts={<Facts dashboard={dashboard} data={data} />}>
        <span data-busy={isFetching || undefined}>
          <IconButton label={labels.newer} icon={<RefreshCw size={16} />} onClick={() => void refetch()} />
        </span>
        <IconButton
          label={labels.fullScreen}
          icon={<Maximize size={16} />}
          onClick={() =>
            void (document.fullscreenElement === null
              ? frame.current?.requestFullscreen()
              : document.exitFullscreen())
          }
        />
        <Button variant="subtle" leftSection={<Share2 size={14} />} onClick={() => setIsSharing(true)}>
          {labels.share.title}
        </Button>
        <Button leftSection={<Pencil size={14} />} onClick={() => void navigate({ search: { edit: 'yes' } })}>
          {labels.edit}
        </Button>
        <More>
          {formats.map((format) => (
            <Action
              key={format}
              does={() => download(`/v1/projects/${projectId}/dashboards/${id}/content?format=${format}`)}
            >
              {labels.download[format]}
            </Action>
          ))}
          {filters.length > 0 && <Menu.Label>{labels.downloadHint}</Menu.Label>}
          <Action
            destroys
            confirm={labels.remove.confirm(name)}
            changes={[['dashboards', projectId]]}
            does={async () => {
              await workspace.delete('/v1/projects/{project_id}/dashboards/{dashboard_id}', {
                params: { path },
              });
              await navigate({ to: '/projects/$projectId/dashboards', params: { projectId } });
            }}
          >
            {labels.remove.title}
          </Action>
        </More>
      </PageHead>
      <FilterBar {...{ dashboard, typed, queries }} />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      <Unfetched asked={saved} />
      {tiles.length === 0 ? (
        <Empty>{labels.noTiles}</Empty>
      ) : (
        <div className="board">
          {(error === null || data !== undefined) &&
            ordered.map((tile) => (
              <ShownTile
                key={tile.id}
                {...{ tile, projectId }}
                query={queries.get(tile.queryId ?? '')}
                data={data?.tiles.get(tile.id)}
              />
            ))}
        </div>
      )}
      <Panel title={labels.share.title} isOpen={isSharing} onClose={() => setIsSharing(false)}>
        <Share dashboard={dashboard} />
      </Panel>
    </div>
  );
}

/** What it is about, and how old all of it is. */
function Facts({ dashboard: { description }, data }: { dashboard: Dashboard; data: BoardData | undefined }) {
  return (
    <>
      {description}
      {description !== '' && data !== undefined && ' · '}
      {data !== undefined && (
        <span title={labels.snapshot(data.snapshot)}>
          {labels.asOf} <Time at={data.readAt} />
        </span>
      )}
    </>
  );
}
