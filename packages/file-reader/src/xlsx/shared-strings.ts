import { BadFileError } from '../bad-file.ts';
import { createCellText, unescapeCell } from './cell-text.ts';
import { readXml } from './xml.ts';

/** Maximum memory for all texts, including `placeBytes` for each. */
const usualMaxBytes = 192 * 1024 * 1024;
const placeBytes = 16;

export interface SharedStrings {
  /** Undefined if the workbook has no such text. */
  at(index: number): string | undefined;
}

export const noStrings: SharedStrings = { at: () => undefined };

/**
 * The texts that cells refer to by index. Stored as bytes in one buffer, because strings would take many
 * times their length and retain the chunk of the file that they were cut from.
 */
export async function readSharedStrings(
  chunks: AsyncIterable<Buffer>,
  maxBytes = usualMaxBytes,
): Promise<SharedStrings> {
  const text = createCellText();
  let bytes = Buffer.allocUnsafe(64 * 1024);
  let ends = new Uint32Array(4 * 1024);
  let used = 0;
  let count = 0;

  function add(string: string): void {
    const length = Buffer.byteLength(string);
    if (used + length + (count + 1) * placeBytes > maxBytes)
      throw new BadFileError('too_large', 'The workbook has too many different texts. Save the sheet as CSV');
    if (used + length > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * bytes.length, used + length));
      bytes.copy(larger, 0, 0, used);
      bytes = larger;
    }
    if (count === ends.length) {
      const larger = new Uint32Array(2 * ends.length);
      larger.set(ends);
      ends = larger;
    }
    used += bytes.write(string, used);
    ends[count] = used;
    count += 1;
  }

  await readXml(chunks, {
    open: text.open,
    text: text.text,
    close(name) {
      text.close(name);
      if (name === 'si') add(unescapeCell(text.take()));
    },
  });
  return {
    at(index) {
      if (!Number.isInteger(index) || index < 0 || index >= count) return undefined;
      return bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index]);
    },
  };
}
