import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive of these parts, like a workbook. */
export function zip(parts: Readonly<Record<string, Buffer | string>>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes, { level: 9 });
    const sizes = Buffer.alloc(16);
    sizes.writeUInt32LE(crc32(bytes), 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(bytes.length, 8);
    sizes.writeUInt16LE(name.length, 12);
    const head = Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
    const file = Buffer.concat([head, sizes, Buffer.from(name), packed]);
    const entry = Buffer.alloc(46);
    Buffer.from([0x50, 0x4b, 1, 2, 20, 0, 20, 0, 0, 0, 8, 0]).copy(entry);
    sizes.copy(entry, 16, 0, 14);
    entry.writeUInt32LE(offset, 42);
    files.push(file);
    directory.push(entry, Buffer.from(name));
    offset += file.length;
  }
  const end = Buffer.alloc(22);
  Buffer.from([0x50, 0x4b, 5, 6]).copy(end);
  const count = Object.keys(parts).length;
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  const directoryBytes = Buffer.concat(directory);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, directoryBytes, end]);
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

export function workbook(
  sheet: Buffer | string,
  more: Readonly<Record<string, Buffer | string>> = {},
): Buffer {
  return zip({
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="r"><sheets><sheet name="a" r:id="rId1"/></sheets></workbook>`,
    'xl/worksheets/sheet1.xml': sheet,
    ...more,
  });
}

/** One row with that many cells at the same address. */
export function sameCells(count: number): Buffer {
  const cells = Buffer.from('<c r="A1"><v>1</v></c>'.repeat(100_000));
  const open = Buffer.from(`<worksheet xmlns="${main}"><sheetData><row r="1">`);
  const parts = Array.from({ length: Math.ceil(count / 100_000) }, () => cells);
  return workbook(Buffer.concat([open, ...parts, Buffer.from('</row></sheetData></worksheet>')]));
}

/** A sheet whose only number has a format of that many brackets. */
export function longFormat(length: number): Buffer {
  const sheet = `<worksheet xmlns="${main}"><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c></row><row r="2"><c r="A2" s="0"><v>1</v></c></row></sheetData></worksheet>`;
  const styles = `<styleSheet xmlns="${main}"><numFmts><numFmt numFmtId="200" formatCode="y${'0'.repeat(length / 2)}${'['.repeat(length / 2)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`;
  return workbook(sheet, { 'xl/styles.xml': styles });
}
