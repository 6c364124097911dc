import { ValidationError } from '../../../../data/errors.ts';
import type { ListBody } from '../../../tables/row-input/reading/tasks.ts';
import { limits } from '../../../workspace/limits/limits.ts';

/** A page in a format of columns, as its bytes were sent. */
export interface SentColumns {
  format: 'parquet' | 'arrow';
  bytes: Uint8Array;
}

/** A page as sent: records in JSON, or columns. */
export type PageBody = ListBody | SentColumns;

export const isColumns = (body: PageBody): body is SentColumns => 'format' in body;

/** Limits of a page, so that reading it takes a bounded amount of memory and time. */
export const pageLimits = {
  rows: limits.ingestion.recordsOfColumnPage.most,
  columns: 2_000,
  /** Groups of rows, or batches. */
  batches: 1_000,
  /** Bytes of all texts, and of all values of a stream. */
  valueBytes: 268_435_456,
  /** Records in quarantine. */
  bad: 20_000,
  milliseconds: 60_000,
};

/** A page that cannot be used at all. */
export function badPage(msg: string, ...place: string[]): ValidationError {
  return new ValidationError([{ loc: ['body', ...place], msg, type: 'value_error' }]);
}

export function damagedPage(): ValidationError {
  return badPage("The body isn't a complete Parquet file, or it uses features that the service cannot read.");
}

export function largePage(): ValidationError {
  return badPage('The values of the page take too much memory. Send smaller pages.');
}

const magic = 'PAR1';
const maxFooterBytes = 8_388_608;
/** In Thrift's compact protocol: the version, and the list of the schema's elements. */
const versionField = 0x15;
const schemaField = 0x19;

/**
 * Checks the frame of a Parquet file, and how many columns its footer announces: a reader would build all of
 * them before anybody could count them.
 */
export function checkParquetFrame(sent: Uint8Array): void {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength);
  const isFramed = bytes.length >= 12 && bytes.toString('latin1', 0, 4) === magic;
  if (!isFramed || bytes.toString('latin1', bytes.length - 4) !== magic) throw damagedPage();
  const footerBytes = bytes.readUInt32LE(bytes.length - 8);
  if (footerBytes > bytes.length - 12) throw damagedPage();
  if (footerBytes > maxFooterBytes)
    throw badPage('The footer of the Parquet file is too large. Write fewer row groups.');
  const elements = schemaElements(bytes.subarray(bytes.length - 8 - footerBytes, bytes.length - 8));
  if (elements > pageLimits.columns + 1)
    throw badPage(`The page has ${elements - 1} columns. The limit is ${pageLimits.columns}.`);
}

function schemaElements(footer: Buffer): number {
  let at = 0;
  function varint(): number {
    let value = 0;
    for (let shift = 0; shift <= 35; shift += 7) {
      const byte = footer[at++];
      if (byte === undefined) throw damagedPage();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw damagedPage();
  }
  if (footer[at++] !== versionField) throw damagedPage();
  varint();
  if (footer[at++] !== schemaField) throw damagedPage();
  const short = footer[at++]! >> 4;
  return short < 15 ? short : varint();
}
