import { createRequire } from 'node:module';
import { TextDecoder } from 'node:util';

let isKept = false;

/**
 * The binding decodes texts without the U+FEFF that they may begin with. Its decoder is replaced, for the
 * whole process, by one that keeps every character. A test fails if the binding takes another.
 */
export function keepByteOrderMarks(): void {
  if (isKept) return;
  const accessors = createRequire(import.meta.url)('@duckdb/node-api/lib/vectors/dataAccessors.js') as {
    textDecoder: TextDecoder;
  };
  accessors.textDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
  isKept = true;
}
