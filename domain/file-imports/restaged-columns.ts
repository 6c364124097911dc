/** Beside the table's columns a restaged record has its place in the file, under names that no column can have. */
export const lineColumn = '_ducklake_internal_line';
export const rawColumn = '_ducklake_internal_raw';
