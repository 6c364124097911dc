import { isReservedColumn } from '../../../data/lake/ducklake/catalog.ts';
import { isLongerThan } from '../../../data/text.ts';

/** The automatic columns of a data table. */
export const rowIdColumn = 's_id';
export const createdAtColumn = '_sm_created_at';

/** The field by which a record of an upsert batch marks its row for deletion; it is not a column. */
export const deletedField = '_sm_deleted';

/** Why a table cannot have a column of this name; undefined if it can. */
export function columnNameFault(name: string): string | undefined {
  return isReservedColumn(name)
    ? `The lake keeps the name ${name.toLowerCase()} for itself; give the column another.`
    : resultColumnFault(name);
}

/** The same of a result that is not stored: of a view. */
export function resultColumnFault(name: string): string | undefined {
  if (isLongerThan(name, 255)) return 'The name is longer than 255 characters.';
  if (name.trim() === '' || !name.isWellFormed() || name.includes('\u0000'))
    return 'The name must hold more than white space, in well-formed Unicode.';
  const lower = name.toLowerCase();
  if (lower === deletedField) return 'The name _sm_deleted is the field by which a batch deletes rows.';
  if (lower === rowIdColumn || lower === createdAtColumn)
    return 'The automatic columns s_id and _sm_created_at must not be listed.';
  return undefined;
}
