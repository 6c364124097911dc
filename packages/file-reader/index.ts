export { BadFileError, type FileFailure, maxColumns } from './src/bad-file.ts';
export type {
  ColumnMapping,
  CsvOptions,
  FileFormat,
  OptionFault,
  Preview,
  PreviewColumn,
  PreviewPage,
  ReaderDeps,
  ReadOptions,
  SkippedLine,
  SourceColumn,
  SourceFile,
  Staged,
  StagedFile,
  StagedTable,
  StageProgress,
  StageTarget,
  Warning,
} from './src/contract.ts';
export { checkCsv } from './src/csv-options.ts';
export { decompressors, isDecompressionFault } from './src/decompression.ts';
export { formatOf } from './src/format.ts';
export { localStore } from './src/local-store.ts';
export { openReader, type Reader } from './src/open-reader.ts';
export { BadOptionsError, checkOptions, loadDateColumn } from './src/options.ts';
export { orTooLarge } from './src/out/run.ts';
export { writeParquet } from './src/out/write.ts';
export { typedColumn } from './src/parquet/types.ts';
export type { Again } from './src/restage.ts';
export { columnNames } from './src/text/names.ts';
export { detectQuote } from './src/text/quote.ts';
export { parseDataType, typeName } from './src/values/types.ts';
