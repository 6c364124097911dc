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
    ? `The lake uses the name ${name.toLowerCase()} itself. Choose another name for the column.`
    : resultColumnFault(name);
}

/** The same of a result that is not stored: of a view. */
export function resultColumnFault(name: string): string | undefined {
  if (isLongerThan(name, 255)) return 'The name is longer than 255 characters.';
  if (name.trim() === '' || !name.isWellFormed() || name.includes('\u0000'))
    return 'The name must contain more than white space, and be well-formed Unicode.';
  const lower = name.toLowerCase();
  if (lower === deletedField)
    return 'The name _sm_deleted is reserved for the field by which a batch deletes rows.';
  if (lower === rowIdColumn || lower === createdAtColumn)
    return "Don't list the columns s_id and _sm_created_at. The service adds them itself.";
  return undefined;
}
