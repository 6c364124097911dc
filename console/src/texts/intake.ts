/** Texts of importing files. */
export const intake = {
  title: 'Import a file',
  drop: 'Drop files to import them',
  hint: 'CSV, Parquet, JSON, NDJSON or XLSX, compressed or not. You see a preview before the file becomes a table.',
  choose: 'Choose files',
  sample: 'Try sample data: the weather of two cities',
  kept: 'Or choose a file that is already in this project',
  another: 'Choose another file',
  without: 'Skip this file',
  waiting: (files: number) => `${files} more ${files === 1 ? 'file' : 'files'} to review:`,
  uploading: (name: string, { place, of }: { place: number; of: number }) =>
    of === 1 ? `Uploading ${name}` : `Uploading ${name} (${place} of ${of})`,
  preview: {
    rows: (rows: number | null) =>
      rows === null ? 'The first rows' : `The first of ${rows.toLocaleString()} rows`,
    bad: (count: number | null) =>
      count === null
        ? "Rows that don't fit"
        : `${count.toLocaleString()} ${count === 1 ? "row doesn't" : "rows don't"} fit`,
    badColumns: { line: 'Line', column: 'Column', raw: 'Text in the file', reason: 'Why' },
    skipped: 'Skipped before the data',
    warnings: {
      formulas_without_value: (cells: number, column: string) =>
        `The column ${column} has ${cells.toLocaleString()} ${cells === 1 ? 'formula' : 'formulas'} without a stored value, read as empty. To fix this, open the workbook in a spreadsheet program and save it.`,
      title_rows: (rows: number) =>
        `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'} above the header ${rows === 1 ? 'was' : 'were'} skipped.`,
      short_rows: (rows: number) =>
        `${rows.toLocaleString()} ${rows === 1 ? 'row has' : 'rows have'} too few fields.`,
      short_rows_padded: (rows: number) =>
        `${rows.toLocaleString()} ${rows === 1 ? 'row has' : 'rows have'} too few fields. The missing fields are read as empty.`,
    },
    pad: 'Read missing fields as empty',
  },
  form: {
    table: 'Table',
    mode: 'If the table exists',
    modes: { create: 'stop with an error', append: 'add the rows to it', replace: 'replace its rows' },
    bad: "Rows that don't fit",
    bads: { fail: 'reject the file', quarantine: 'quarantine them' },
    columns: 'Columns',
    column: { source: 'Source column', name: 'Name', type: 'Type', nullable: 'Can be empty', take: 'Import' },
    sheet: 'Sheet',
    nested: 'Lists and objects',
    nesteds: { json: 'as JSON documents', native: 'as lists and structs' },
    submit: 'Import',
  },
  csv: {
    title: 'Text format',
    hint: 'These settings were detected. If you change one, the columns are detected again.',
    separator: 'Column separator',
    separators: { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' },
    quote: 'Quote character',
    quotes: { '"': 'double quote', "'": 'single quote' },
    escape: 'Escape character',
    escapes: { '': 'a second quote', '\\': 'backslash' },
    encoding: 'Encoding',
    headerRow: 'Header line',
    headerRowHint: '0 if there is none',
    firstRow: 'First data line',
    dates: 'Date format',
    datesHint: 'For example dd.MM.yyyy',
    unset: 'detected',
    thousands: 'Thousands separator',
    groups: { '': 'none', ',': 'comma', '.': 'point', "'": 'apostrophe', ' ': 'space' },
    nulls: 'Values read as empty',
    nullsHint: 'Separated by commas, for example NA, -',
  },
  importing: 'Importing',
  imported: (rows: number) => `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'} imported.`,
  quarantined: (rows: number) =>
    `${rows.toLocaleString()} ${rows === 1 ? 'row was' : 'rows were'} quarantined:`,
  quarantine: 'View them',
  replay: {
    hint: 'The rows are read again with the current column types of the table.',
    again: 'Retry these rows',
    done: (added: number) =>
      `${added.toLocaleString()} ${added === 1 ? 'row was' : 'rows were'} added. Rows that still don't fit stay in quarantine.`,
  },
  notAttached: "The project's analyst can't read this table yet",
  openTable: 'Open table',
  ask: 'Ask about this table',
  cancel: 'Stop import',
  cancelled: 'The import was stopped. Nothing was imported.',
  failed: 'Nothing was imported',
  line: (line: number) => `Line ${line}`,
  again: 'Change import settings',
} as const;
