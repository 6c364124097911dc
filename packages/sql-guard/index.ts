export { type Analyzer, analyzeAll, refuseColumns } from './src/analysis/analyze.ts';
export type { Binder, BoundQuery } from './src/analysis/binder.ts';
export type {
  Analysis,
  Analyzed,
  ColumnedRelation,
  ColumnOrigin,
  DefinitionText,
  GroupPart,
  Increment,
  Influence,
  Renamed,
  Renaming,
} from './src/analysis/contract.ts';
export { overGroups } from './src/analysis/over-groups.ts';
export { followRenaming } from './src/analysis/rename.ts';
export {
  type CheckedStatement,
  checkDraft,
  checkStatement,
  type StatementToCheck,
} from './src/guard/check.ts';
export { applyNames, type ColumnName } from './src/guard/column-names.ts';
export { allowedFunctions, allowedTableFunctions } from './src/guard/functions.ts';
export { createParser, type Parser, placeOf } from './src/guard/parse.ts';
export { type OpenPivot, openPivots, withPivotValues } from './src/guard/pivot.ts';
export { type RefusalCode, SqlRefusal } from './src/guard/refusal.ts';
export { mayName, wordsIn } from './src/guard/relations.ts';
export { catalogName } from './src/guard/rewrite.ts';
export { foldName, withoutTail } from './src/guard/tree.ts';
export { type ParameterizedSql, placeholder, withParameters } from './src/parameters.ts';
export type { Parameter, Relation } from './src/request.ts';
