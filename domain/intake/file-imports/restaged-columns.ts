import { internalColumnPrefix } from '../../../data/lake/ducklake/catalog.ts';

/**
 * Beside the table's columns a restaged record has its place in the file, under names that no column can
 * have.
 */
export const lineColumn = `${internalColumnPrefix}line`;
export const rawColumn = `${internalColumnPrefix}raw`;
