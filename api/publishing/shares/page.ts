import { ValidationError } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import { tileError } from '../../../domain/publishing/dashboards/data.ts';
import { shownTiles } from '../../../domain/publishing/dashboards/shown.ts';
import { exportReport } from '../../../domain/publishing/reports/export.ts';
import { statementFor } from '../../../domain/publishing/saved-queries/saved-queries.ts';
import { rowsOf, shownRows } from '../../../domain/publishing/saved-queries/shown.ts';
import type { Shared } from '../../../domain/publishing/shares/open.ts';
import type { Share } from '../../../domain/publishing/shares/shares.ts';
import { runQuery } from '../../../domain/tables/query/run.ts';
import { limits } from '../../../domain/workspace/limits/limits.ts';
import type { ApiDeps } from '../../deps.ts';
import { Html } from '../../pages/html.ts';
import { dashboardPage } from '../dashboards/page.ts';
import { faultHtml, type PublishedPage, shownHtml } from '../page.ts';
import { type Asked, filterForm, sentValues } from './filters.ts';

const timeoutMs = 30_000;

/**
 * What a share shows, read with the rights that its maker has now.
 *
 * @throws ValidationError if the query string has invalid values of filters
 */
export async function sharePage(
  deps: ApiDeps,
  { share, shared }: { share: Share; shared: Shared },
  query: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<PublishedPage> {
  const frameAncestors = share.embed_origins;
  if (shared.type === 'report') return { ...(await reportPage(deps, shared, signal)), frameAncestors };
  const asked = share.open_filters ? askedBy(shared) : [];
  const filters = sentValues(asked, query);
  const form = filterForm(asked, filters);
  if (shared.type === 'query') {
    const page = await queryPage(deps, share, { ...shared, values: filters }, signal);
    return { ...page, form, frameAncestors };
  }
  const { dashboard } = shared;
  const tiles = await shownTiles(deps, { dashboard, callerId: share.created_by, filters }, signal);
  const page = await dashboardPage(deps, dashboard, tiles, signal);
  return { ...page, form, frameAncestors };
}

function askedBy(shared: Exclude<Shared, { type: 'report' }>): Asked[] {
  if (shared.type === 'dashboard') return shared.dashboard.filters;
  return Object.entries(shared.query.parameters).map(([name, { type, default: value }]) => ({
    ...{ name, label: name, type, default: value },
  }));
}

async function reportPage(
  deps: ApiDeps,
  { report, version }: Extract<Shared, { type: 'report' }>,
  signal: AbortSignal,
): Promise<PublishedPage> {
  const made = await exportReport(deps, report, version, 'html', signal);
  return { title: version.title, body: new Html(`<div class="tile">${made}</div>`) };
}

async function queryPage(
  deps: ApiDeps,
  { organization_id: organizationId, created_by: callerId }: Share,
  { query, values }: { query: Extract<Shared, { type: 'query' }>['query']; values: Record<string, unknown> },
  signal: AbortSignal,
): Promise<PublishedPage> {
  const page = { title: query.name, description: query.description };
  try {
    const statement = statementFor(query, values, ['query']);
    const { answer } = await runQuery(
      deps,
      {
        ...{ organizationId, callerId, id: newId('qry'), ...statement, timeoutMs, atVersions: {} },
        ...{ limit: limits.dashboards.tileRows.most, rowFormat: 'rows_with_column_order' },
      },
      signal,
    );
    const wanted = { chart: query.chart, title: '', rows: rowsOf(answer) };
    const shown = await shownRows(deps, organizationId, wanted, signal);
    return { ...page, body: shownHtml(shown, query.name) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ValidationError && Object.keys(values).length > 0) throw error;
    return { ...page, body: faultHtml(tileError(error).detail) };
  }
}
