import { autocompletion } from '@codemirror/autocomplete';
import { sql } from '@codemirror/lang-sql';
import type { Extension } from '@codemirror/state';
import { completeColumns, type Tables } from './complete-columns.ts';
import { duckdb } from './dialect.ts';

/** What is written in the editor, with completion of tables, columns and keywords. */
export const languageOf = (tables: Tables): Extension => [
  sql({
    dialect: duckdb,
    schema: tables,
    upperCaseKeywords: true,
    keywordCompletion: (label, type) => ({ label, type, boost: -50 }),
  }),
  duckdb.language.data.of({ autocomplete: completeColumns(tables) }),
  // Enter is a new line until somebody chose from the list. Icons are of a font that is not there.
  autocompletion({ icons: false, selectOnOpen: false }),
];
