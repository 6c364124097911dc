export {
  type CatalogColumn,
  type CatalogRelation,
  type ContentTable,
  contentTables,
} from './src/catalog/content.ts';
export { isCatalogStatement } from './src/catalog/is-catalog.ts';
export { type Catalog, type CatalogSession, openCatalog } from './src/catalog/open.ts';
export { refusedName } from './src/catalog/refused.ts';
export { type CatalogStatement, catalogStatement } from './src/catalog/rewrite.ts';
export type { Command, CopyCommand } from './src/command.ts';
export { commandOf } from './src/commands.ts';
export { parameterNumbers, type Statement, statementsOf, type Token, tokensOf } from './src/lexer.ts';
export { type ParameterType, parameterCasts } from './src/parameter-casts.ts';
