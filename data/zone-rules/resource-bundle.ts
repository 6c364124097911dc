/** A value of ICU's resource bundles. Equal objects of one identity are written once. */
export type Resource =
  | { type: 'table'; entries: Readonly<Record<string, Resource>> }
  | { type: 'array'; items: readonly Resource[] }
  | { type: 'string'; text: string }
  | { type: 'integer'; value: number }
  | { type: 'integers'; values: readonly number[] }
  | { type: 'binary'; bytes: Uint8Array };

/** The numbers of the types in a resource's upper four bits. */
const typeNumbers = { string: 0, binary: 1, table: 2, integer: 7, array: 8, integers: 14 } as const;

/** Root, then six indexes: their count, three ends in words, the longest table, and attributes. */
const indexCount = 6;
const standsAlone = 1;

/**
 * A `.res` file of ICU (format version 1.3, little-endian), which ICU reads from 2.8 on. Its format is
 * described in ICU's `uresdata.h`: words of 32 bits, of which a resource is a type and the place of its
 * value.
 */
export function writeResourceBundle(root: Resource): Buffer {
  const keys = keyPlaces(root);
  const words: number[] = Array.from({ length: 1 + indexCount + keys.words.length }, () => 0);
  words.splice(1 + indexCount, keys.words.length, ...keys.words);
  const written = new Map<Resource, number>();
  let longestTable = 0;

  const place = (type: keyof typeof typeNumbers, value: readonly number[], padding = 0): number => {
    for (let index = 0; index < padding; index += 1) words.push(0);
    const at = words.length;
    for (const word of value) words.push(word);
    return ((typeNumbers[type] << 28) | at) >>> 0;
  };
  const write = (resource: Resource): number => {
    const before = written.get(resource);
    if (before !== undefined) return before;
    const handle = writeNew(resource);
    written.set(resource, handle);
    return handle;
  };
  const writeNew = (resource: Resource): number => {
    switch (resource.type) {
      case 'integer':
        return ((typeNumbers.integer << 28) | (resource.value & 0x0fffffff)) >>> 0;
      case 'integers':
        return place('integers', [resource.values.length, ...resource.values]);
      case 'string': {
        const text = Buffer.from(`${resource.text}\0`, 'utf16le');
        return place('string', [resource.text.length, ...wordsOf(text)]);
      }
      case 'binary': {
        // Its bytes, after their count, begin at a multiple of 16.
        const padding = (7 - (words.length % 4)) % 4;
        return place('binary', [resource.bytes.length, ...wordsOf(resource.bytes)], padding);
      }
      case 'array': {
        const items = resource.items.map(write);
        return place('array', [items.length, ...items]);
      }
      case 'table': {
        const entries = Object.entries(resource.entries).toSorted(([one], [other]) => (one < other ? -1 : 1));
        longestTable = Math.max(longestTable, entries.length);
        const values = entries.map(([, value]) => write(value));
        const head = Uint16Array.from([entries.length, ...entries.map(([key]) => keys.places.get(key)!)]);
        return place('table', [...wordsOf(new Uint8Array(head.buffer)), ...values]);
      }
    }
  };

  words[0] = write(root);
  const indexes = [indexCount, 1 + indexCount + keys.words.length, words.length, words.length];
  words.splice(1, indexCount, ...indexes, longestTable, standsAlone);
  const body = Buffer.alloc(4 * words.length);
  words.forEach((word, index) => void body.writeInt32LE(word | 0, 4 * index));
  return Buffer.concat([fileHeader(), body]);
}

/** ICU's header of data files: its length, the sign of such files, and what follows it. */
function fileHeader(): Buffer {
  const header = Buffer.alloc(32);
  header.writeUInt16LE(header.length, 0);
  header.set([0xda, 0x27], 2);
  // The length of this description; its bytes are little-endian, ASCII, with characters of two bytes.
  header.writeUInt16LE(20, 4);
  header.set([0, 0, 2, 0], 8);
  header.write('ResB', 12, 'latin1');
  header.set([1, 3, 0, 0], 16);
  header.set([1, 4, 0, 0], 20);
  return header;
}

/** The texts of all keys, and where each begins, in bytes from the root. */
function keyPlaces(root: Resource): { words: number[]; places: Map<string, number> } {
  const places = new Map<string, number>();
  let text = '';
  const visit = (resource: Resource): void => {
    if (resource.type === 'array') for (const item of resource.items) visit(item);
    if (resource.type !== 'table') return;
    for (const [key, value] of Object.entries(resource.entries)) {
      if (!places.has(key)) {
        places.set(key, 4 * (1 + indexCount) + text.length);
        text += `${key}\0`;
      }
      visit(value);
    }
  };
  visit(root);
  return { words: wordsOf(Buffer.from(text, 'latin1')), places };
}

function wordsOf(bytes: Uint8Array): number[] {
  const padded = Buffer.alloc(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  return Array.from({ length: padded.length / 4 }, (_, index) => padded.readInt32LE(4 * index));
}
