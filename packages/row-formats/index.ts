export { camelCase, collapsingNames } from './src/camel-case.ts';
export { distinctNames } from './src/distinct-names.ts';
export { type EncodedRows, encodeRows, type RowFormat } from './src/encode-rows.ts';
export { RowFault, type RowFaultCode } from './src/fault.ts';
export { createFrameReader, type Piece, type PiecePart } from './src/pipe/frames.ts';
export { createOutflow, type Outflow } from './src/pipe/outflow.ts';
export type { CopyOptions } from './src/postgres/copy.ts';
export type { PostgresFormat } from './src/postgres/rows.ts';
export { postgresType } from './src/postgres/types.ts';
export { openRowWriter } from './src/row-writer.ts';
export { isoDate } from './src/values/calendar.ts';
export { readStructsByPosition } from './src/values/positional.ts';
export { instantText, microsecondTimestampText } from './src/values/temporal.ts';
export { keepByteOrderMarks } from './src/values/text-decoder.ts';
export { dataTypeName } from './src/values/type-name.ts';
export { encoderFor } from './src/values/values.ts';
export { unheldMessage } from './src/workbook/unheld.ts';
export { asWorkbook, tooManyDigits } from './src/workbook/values.ts';
export {
  bytesOf,
  type MadePiece,
  type RowWriter,
  type StreamColumn,
  type StreamFormat,
  type WrittenFormat,
} from './src/writer.ts';
