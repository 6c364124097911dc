import { autocompletion } from '@codemirror/autocomplete';
import { sql } from '@codemirror/lang-sql';
import type { Extension } from '@codemirror/state';
import { completeColumns, type Tables } from './complete-columns.ts';
import { duckdb } from './dialect.ts';

/** Words of nearly every statement, which come before columns that begin like them. */
const common = new Set(['SELECT', 'FROM', 'WHERE', 'GROUP', 'ORDER', 'BY', 'JOIN', 'ON', 'AS', 'LIMIT']);

/** What is written in the editor, with completion of tables, columns and keywords. */
export const languageOf = (tables: Tables): Extension => [
  sql({
    dialect: duckdb,
    schema: tables,
    upperCaseKeywords: true,
    keywordCompletion: (label, type) => ({ label, type, boost: common.has(label) ? 10 : -50 }),
  }),
  duckdb.language.data.of({ autocomplete: completeColumns(tables) }),
  // Enter takes the first of the list, as Tab does. Icons are of a font that is not there.
  autocompletion({ icons: false }),
];
