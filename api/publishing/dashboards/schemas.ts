import { z } from 'zod';
import { newId } from '../../../data/ids.ts';
import type { Dashboard } from '../../../domain/publishing/dashboards/dashboards.ts';
import type { TileData } from '../../../domain/publishing/dashboards/data.ts';
import { type Filter, gridColumns, type Tile } from '../../../domain/publishing/dashboards/layout.ts';
import { limits } from '../../../domain/workspace/limits/limits.ts';
import { characters, idText, revisionNumber, timestamp, visibleName } from '../../schemas.ts';
import { answerText, queryAnswer, queryExample } from '../../tables/query-executions/schemas.ts';
import {
  anyValue,
  chartBody,
  chartSchema,
  parameterName,
  parameterType,
  parameterValue,
  valuesMap,
} from '../saved-queries/schemas.ts';

const name = z
  .string()
  .regex(parameterName, "A name can contain letters, digits and _, and can't begin with a digit.");
const tileId = characters(1, 64);

const tileBody = z
  .strictObject({
    id: tileId.optional().describe('Keeps its identity between revisions. The service makes one by default.'),
    kind: z.enum(['query', 'text']),
    query_id: idText.nullable().default(null).describe('A saved query of the same project.'),
    title: characters(0, 200).default(''),
    text: characters(0, 20_000).nullable().default(null).describe('Markdown, for a tile of text.'),
    chart: chartBody.nullable().default(null).describe('Null means the chart of the query.'),
    x: z
      .int()
      .min(0)
      .max(gridColumns - 1)
      .default(0),
    y: z.int().min(0).max(10_000).default(0),
    width: z.int().min(1).max(gridColumns).default(12),
    height: z.int().min(1).max(100).default(8),
    bindings: z
      .record(name, characters(1, 64))
      .default({})
      .meta({ default: undefined, description: 'Filters of the dashboard by parameters of the query.' }),
  })
  .check(({ value, issues }) => {
    const refuse = (path: string, type: string, message: string) =>
      issues.push({ code: 'custom', path: [path], message, params: { type }, input: value });
    if (value.kind === 'query' && value.query_id === null) refuse('query_id', 'missing', 'Field required');
    if (value.kind === 'text' && value.text === null) refuse('text', 'missing', 'Field required');
    if (value.kind === 'text' && value.query_id !== null)
      refuse('query_id', 'value_error', 'A tile of text has no query.');
  });

const filterBody = z.strictObject({
  name,
  label: characters(0, 200).optional().describe('The name by default.'),
  type: parameterType,
  default: parameterValue
    .nullable()
    .default(null)
    .describe('Null means that parameters have their own defaults.'),
});

const { tiles: maxTiles, filters: maxFilters } = limits.dashboards;
const content = {
  name: visibleName(200),
  description: characters(0, 2_000),
  tiles: z.array(tileBody).max(maxTiles.most).describe('They are placed on a grid of 24 columns.'),
  filters: z.array(filterBody).max(maxFilters.most),
};

export const createDashboardBody = z
  .strictObject({
    ...content,
    description: content.description.default(''),
    tiles: content.tiles.default([]),
    filters: content.filters.default([]),
  })
  .meta({
    examples: [
      {
        name: 'Sales',
        tiles: [{ kind: 'text', title: 'Read this first', text: 'Orders **since** January', width: 24 }],
        filters: [{ name: 'since', label: 'Since', type: 'date', default: '2026-01-01' }],
      },
    ],
  });

export const changeDashboardBody = z
  .strictObject({ ...z.object(content).partial().shape, expected_revision: revisionNumber.optional() })
  .meta({ examples: [{ name: 'Sales of the year', expected_revision: 1 }] });

export const dataBody = z
  .strictObject({
    filters: valuesMap.default({}).meta({
      default: undefined,
      description: 'Values by filter. Filters that you omit have their defaults.',
    }),
    tile_ids: z.array(tileId).max(maxTiles.most).optional().describe('The tiles to read; all by default.'),
  })
  .default({ filters: {} })
  .meta({ examples: [{ filters: { since: '2026-06-01' } }] });

export const contentQuery = z.object({
  format: z
    .enum(['html', 'pdf', 'png'])
    .default('html')
    .describe(
      '`html`: a page by itself. `pdf`: the tiles one after another. `png`: the tiles on their grid.',
    ),
});

const tileSchema = z
  .object({
    id: z.string(),
    kind: z.enum(['query', 'text']),
    queryId: z.string().nullable(),
    title: z.string(),
    text: z.string().nullable(),
    chart: chartSchema.nullable(),
    x: z.int(),
    y: z.int(),
    width: z.int(),
    height: z.int(),
    bindings: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Tile' });

export const dashboardSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string(),
    tiles: z.array(tileSchema),
    filters: z.array(
      z.object({ name: z.string(), label: z.string(), type: parameterType, default: anyValue }),
    ),
    createdByUserId: z.string(),
    revision: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Dashboard' });

const tileIdExample = 'til_01kahz3v6dfyvb1s8m3h9q2w4x';

export const dashboardExample: z.input<typeof dashboardSchema> = {
  id: 'dsh_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'Sales',
  description: '',
  tiles: [
    {
      id: tileIdExample,
      kind: 'query',
      queryId: 'sqy_01kahz3v6dfyvb1s8m3h9q2w4x',
      title: 'Orders by city',
      text: null,
      chart: null,
      x: 0,
      y: 0,
      width: 12,
      height: 8,
      bindings: { since: 'since' },
    },
  ],
  filters: [{ name: 'since', label: 'Since', type: 'date', default: '2026-01-01' }],
  createdByUserId: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  revision: 1,
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

export const tileData = z
  .object({
    snapshot: z.int().describe('The snapshot of the lake that all tiles were read from.'),
    tiles: z.array(
      z.object({
        tileId: z.string(),
        execution: queryAnswer.optional().describe('The rows, unless the tile failed.'),
        error: z.object({ code: z.string(), detail: z.string() }).optional().describe('Why the tile failed.'),
        cached: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'DashboardData' });

export const tileDataExample: z.input<typeof tileData> = {
  snapshot: 42,
  tiles: [{ tileId: tileIdExample, execution: queryExample, cached: false }],
};

/** Tiles as the domain has them, new ones with ids. */
export const tilesOf = (sent: readonly z.output<typeof tileBody>[]): Tile[] =>
  sent.map(({ id, query_id: queryId, ...tile }) => ({ ...tile, id: id ?? newId('til'), queryId }));

export const filtersOf = (sent: readonly z.output<typeof filterBody>[]): Filter[] =>
  sent.map((filter) => ({ ...filter, label: filter.label ?? filter.name }));

export function dashboardView(row: Dashboard): z.input<typeof dashboardSchema> {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    tiles: row.tiles,
    filters: row.filters,
    createdByUserId: row.created_by,
    revision: row.revision,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The rows are JSON text already. */
export function dataText(snapshotId: number, tiles: readonly TileData[]): string {
  const shown = tiles.map((data) => {
    const isRead = 'result' in data;
    // Without the envelope of a single answer.
    const told = isRead
      ? `"execution":${answerText(data.id, data.result).slice('{"data":'.length, -1)}`
      : `"error":${JSON.stringify(data.error)}`;
    return `{"tileId":${JSON.stringify(data.tile.id)},${told},"cached":${isRead && data.result.cached}}`;
  });
  return `{"data":{"snapshot":${snapshotId},"tiles":[${shown.join(',')}]}}`;
}
