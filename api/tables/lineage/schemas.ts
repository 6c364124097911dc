import { z } from 'zod';
import { nodeKinds } from '../../../domain/tables/lineage/graph.ts';
import { envelope, integerText } from '../../schemas.ts';

export const lineageQuery = z.object({
  direction: z
    .enum(['upstream', 'downstream', 'both'])
    .default('both')
    .describe('What the table is made from, what is made from it, or both.'),
  depth: integerText(z.int().min(1).max(20).default(20)).describe(
    'The number of edges from the table, in each direction.',
  ),
  format: z.enum(['json', 'openlineage', 'svg']).default('json'),
});

const node = z.object({
  id: z.string(),
  kind: z.enum(nodeKinds),
  name: z.string(),
  tableKind: z.enum(['data', 'calc', 'import', 'snapshot', 'iceberg']).nullable(),
  status: z
    .enum(['unmaterialized', 'queued', 'running', 'fresh', 'stale', 'failed', 'valid', 'broken'])
    .nullable()
    .describe('The current status of a calculated table or view, checked at each request.'),
  version: z.int().nullable().describe('The newest version of a table.'),
});

const edge = z.object({
  from: z.string().describe('The source end. Data flows from here.'),
  to: z.string(),
  columns: z
    .array(
      z.object({
        from: z.string(),
        to: z.string(),
        type: z.enum(['direct', 'indirect']),
        subtype: z
          .enum([
            ...(['identity', 'transformation', 'aggregation'] as const),
            ...(['join', 'group_by', 'filter', 'sort', 'window', 'conditional'] as const),
          ])
          .describe('The kind of transformation, as OpenLineage names it.'),
      }),
    )
    .describe("The columns. Empty if they aren't known."),
});

export const lineageSchema = z
  .object({
    nodes: z.array(node).describe('The nodes, nearest first, including the table itself.'),
    edges: z.array(edge),
    truncated: z
      .boolean()
      .describe('Whether distant nodes were left out. A graph can have up to 2,000 nodes.'),
  })
  .meta({ id: 'Lineage' });

const [fileId, tableId, viewId] = [
  'fil_01kahz3v6dfyvb1s8m3h9q2w4x',
  'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  'viw_01kahz3v6dfyvb1s8m3h9q2w4x',
];

const lineageExample: z.input<typeof lineageSchema> = {
  nodes: [
    { id: viewId, kind: 'view', name: 'large_orders', tableKind: null, status: 'valid', version: null },
    { id: tableId, kind: 'table', name: 'orders', tableKind: 'import', status: null, version: 42 },
    { id: fileId, kind: 'file', name: 'orders.csv', tableKind: null, status: null, version: null },
  ],
  edges: [
    {
      from: tableId,
      to: viewId,
      columns: [
        { from: 'order_no', to: 'order_no', type: 'direct', subtype: 'identity' },
        { from: 'amount', to: 'order_no', type: 'indirect', subtype: 'filter' },
      ],
    },
    {
      from: fileId,
      to: tableId,
      columns: [{ from: 'Order No', to: 'order_no', type: 'direct', subtype: 'identity' }],
    },
  ],
  truncated: false,
};

const events = z.object({
  events: z
    .array(z.looseObject({}))
    .describe('OpenLineage 2-0-2 job events, one for each thing that is made.'),
});

/** Two of the three forms are JSON. */
export const lineageAnswer = {
  description: 'The graph in the requested format.',
  content: {
    'application/json': {
      schema: z
        .union([
          envelope(lineageSchema).meta({ id: 'LineageGraphAnswer' }),
          envelope(events).meta({ id: 'LineageEventsAnswer' }),
        ])
        .meta({ id: 'LineageAnswer', examples: [{ data: lineageExample }] }),
    },
    'image/svg+xml': { schema: z.string() },
  },
};
