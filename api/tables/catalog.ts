import { z } from 'zod';
import { AppError, ValidationError } from '../../data/errors.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import { type TableRow, updateTableRow } from '../../domain/tables/tables/registry.ts';
import { getUser } from '../../domain/workspace/organizations/organizations.ts';
import { freeFormMap, keptMap } from '../free-form.ts';
import { characters, idText, timestamp } from '../schemas.ts';
import { shownType } from './grid-tables/schemas.ts';

const catalogColumn = z.object({
  name: z.string(),
  dataType: shownType,
  nullable: z.boolean(),
  description: z.string().nullable(),
  semanticType: z.string().nullable(),
  note: z.string().nullable().optional(),
});

export const catalogQuery = z.object({
  compact: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Whether to leave out semantics and column notes.'),
});

export const modelingTier = z.enum(['raw', 'staged', 'curated', 'certified']);

/** What the tests of a table say. */
export const testedState = z.enum(['passing', 'warning', 'failing', 'untested']);

/** Catalog metadata of tables and views alike. */
export const catalogFields = {
  name: z.string(),
  qualifiedName: z.string(),
  description: z.string(),
  ownerUserId: z.string().nullable(),
  semantics: keptMap.optional(),
  modelingTier,
  columns: z.array(catalogColumn),
  lineage: z
    .object({ upstream: z.int(), downstream: z.int() })
    .describe('How many tables and views it is made from, and how many are made from it.'),
  updatedAt: timestamp,
};

export const updateCatalogBody = z
  .strictObject({
    description: characters(0, 10_000).optional(),
    owner_user_id: idText.nullable().optional(),
    semantics: freeFormMap.optional(),
    modeling_tier: z.enum(['raw', 'staged', 'curated', 'certified']).optional(),
    columns: z
      .array(
        z.strictObject({
          name: z.string(),
          description: characters(0, 10_000).nullable().optional(),
          semantic_type: characters(0, 255).nullable().optional(),
          note: characters(0, 10_000).nullable().optional(),
        }),
      )
      .max(2_000)
      .optional(),
  })
  .meta({
    examples: [{ description: 'One row an order.', columns: [{ name: 'amount', description: 'In euro.' }] }],
  });

interface ColumnNote {
  description?: string | null;
  semanticType?: string | null;
  note?: string | null;
}

const columnNotes = (row: TableRow) => row.column_notes as Record<string, ColumnNote>;

/** Columns with what was written about them. */
export function notedColumns(
  row: TableRow,
  columns: readonly { name: string; dataType: string | null; nullable: boolean }[],
  compact: boolean,
) {
  const notes = columnNotes(row);
  return columns.map(({ name, dataType, nullable }) => {
    const own = Object.hasOwn(notes, name) ? notes[name]! : {};
    const { description = null, semanticType = null, note = null } = own;
    return { name, dataType, nullable, description, semanticType, ...(compact ? {} : { note }) };
  });
}

/** Changes the catalog metadata of a table or view whose row is locked. */
export async function changeCatalog(
  db: OrganizationTransaction,
  row: TableRow,
  columns: readonly { name: string }[],
  body: z.infer<typeof updateCatalogBody>,
): Promise<TableRow> {
  const { organization_id: organizationId, id } = row;
  const notes = mergeNotes(row, columns, body.columns ?? []);
  if (typeof body.owner_user_id === 'string')
    await requireUser(() => getUser(db, organizationId, body.owner_user_id!));
  return updateTableRow(db, organizationId, id, {
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.owner_user_id === undefined ? {} : { owner_user_id: body.owner_user_id }),
    ...(body.semantics === undefined ? {} : { semantics: JSON.stringify(body.semantics) }),
    ...(body.modeling_tier === undefined ? {} : { modeling_tier: body.modeling_tier }),
    ...(body.columns === undefined ? {} : { column_notes: JSON.stringify(notes) }),
  });
}

function mergeNotes(
  row: TableRow,
  columns: readonly { name: string }[],
  changes: NonNullable<z.infer<typeof updateCatalogBody>['columns']>,
) {
  /** A Map, because a column may be named like any member of an object, even `__proto__`. */
  const notes = new Map(Object.entries(columnNotes(row)));
  for (const [index, change] of changes.entries()) {
    const column = columns.find(({ name }) => name.toLowerCase() === change.name.toLowerCase());
    if (column === undefined) {
      throw new ValidationError([
        { loc: ['body', 'columns', index, 'name'], msg: "This column doesn't exist.", type: 'value_error' },
      ]);
    }
    notes.set(column.name, {
      ...notes.get(column.name),
      ...(change.description === undefined ? {} : { description: change.description }),
      ...(change.semantic_type === undefined ? {} : { semanticType: change.semantic_type }),
      ...(change.note === undefined ? {} : { note: change.note }),
    });
  }
  return Object.fromEntries(notes);
}

async function requireUser(find: () => Promise<unknown>): Promise<void> {
  await find().catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    throw new ValidationError([
      { loc: ['body', 'owner_user_id'], msg: 'The organization has no such user.', type: 'value_error' },
    ]);
  });
}
