/** Texts of bringing files in. */
export const intake = {
  title: 'Bring a file in',
  drop: 'Drop files to bring them in',
  hint: 'CSV, Parquet, JSON, NDJSON or XLSX, also compressed. You see how it is read before it becomes a table.',
  choose: 'Choose a file, or several',
  sample: 'Look around with sample data: the weather of two cities',
  kept: 'Or one of the files that the project has already',
  another: 'Choose another file',
  without: 'Go on without this file',
  waiting: (files: number) => `${files} more ${files === 1 ? 'file waits' : 'files wait'} for a look:`,
  uploading: (name: string, { place, of }: { place: number; of: number }) =>
    of === 1 ? `Uploading ${name}` : `Uploading ${name} (${place} of ${of})`,
  preview: {
    rows: (rows: number | null) =>
      rows === null ? 'The first rows' : `The first of ${rows.toLocaleString('en')} rows`,
    bad: (count: number | null) =>
      count === null
        ? 'Rows that do not fit'
        : `${count.toLocaleString('en')} ${count === 1 ? 'row does' : 'rows do'} not fit`,
    badColumns: { line: 'Line', column: 'Column', raw: 'What it says', reason: 'Why' },
    skipped: 'Left out before the data',
    warnings: {
      formulas_without_value: (cells: number, column: string) =>
        `The column ${column} has ${cells.toLocaleString('en')} ${cells === 1 ? 'formula' : 'formulas'} whose value the workbook does not keep. They are read as empty. Open it in a spreadsheet program and save it.`,
      title_rows: (rows: number) =>
        `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'} above the names ${rows === 1 ? 'was' : 'were'} left out.`,
      short_rows: (rows: number) =>
        `${rows.toLocaleString('en')} ${rows === 1 ? 'row lacks' : 'rows lack'} fields at the end.`,
      short_rows_padded: (rows: number) =>
        `${rows.toLocaleString('en')} ${rows === 1 ? 'row lacks' : 'rows lack'} fields at the end, which are read as empty.`,
    },
    pad: 'Read these fields as empty',
  },
  form: {
    table: 'Table',
    mode: 'If that table exists',
    modes: { create: 'refuse', append: 'add the rows', replace: 'replace its rows' },
    bad: 'Rows that do not fit',
    bads: { fail: 'refuse the file', quarantine: 'quarantine them' },
    columns: 'Columns',
    column: { source: 'In the file', name: 'Name', type: 'Type', nullable: 'May be empty', take: 'Taken' },
    sheet: 'Sheet',
    nested: 'Lists and objects',
    nesteds: { json: 'as JSON documents', native: 'as lists and structs' },
    submit: 'Import',
  },
  csv: {
    title: 'How the text is read',
    hint: 'What you see was detected. Where you change it, the columns are detected anew.',
    separator: 'Between columns',
    separators: { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' },
    quote: 'Around values',
    quotes: { '"': 'double quote', "'": 'single quote' },
    escape: 'Before a quote in a value',
    escapes: { '': 'another quote', '\\': 'backslash' },
    encoding: 'Encoding',
    headerRow: 'Line of the names',
    headerRowHint: '0 for none',
    firstRow: 'First line of data',
    dates: 'Dates',
    datesHint: 'for example dd.MM.yyyy',
    unset: 'as detected',
    thousands: 'Between thousands',
    groups: { '': 'nothing', ',': 'comma', '.': 'point', "'": 'apostrophe', ' ': 'space' },
    nulls: 'Empty values',
    nullsHint: 'commas between them, for example NA, -',
  },
  importing: 'Importing',
  imported: (rows: number) => `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'} imported.`,
  quarantined: (rows: number) =>
    `${rows.toLocaleString('en')} ${rows === 1 ? 'row was' : 'rows were'} quarantined:`,
  quarantine: 'look at them',
  replay: {
    hint: 'They are read again with the types that the columns of the table have then.',
    again: 'Try these rows again',
    done: (added: number) =>
      `${added.toLocaleString('en')} ${added === 1 ? 'row was' : 'rows were'} added. What does not fit yet stays in quarantine.`,
  },
  notAttached: 'The analyst of the project may not read it yet',
  openTable: 'Open the table',
  ask: 'Ask about it',
  cancel: 'Stop the import',
  cancelled: 'The import was stopped; nothing was imported.',
  failed: 'Nothing was imported',
  line: (line: number) => `Line ${line}`,
  again: 'Change how it is read',
} as const;
