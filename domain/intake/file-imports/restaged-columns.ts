import { internalColumnPrefix } from '../../../data/lake/ducklake/catalog.ts';

/**
 * Columns that a restaged record has in addition to the table's, with its location in the file. Their names
 * cannot occur in a table.
 */
export const lineColumn = `${internalColumnPrefix}line`;
export const rawColumn = `${internalColumnPrefix}raw`;
