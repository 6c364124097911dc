import { createRequire } from 'node:module';
import { TextDecoder } from 'node:util';

/**
 * The binding decodes texts without the U+FEFF that they may begin with. Its decoder is replaced by one that
 * keeps every character; `test/data/lake/encode/values.test.ts` fails if the binding takes another.
 */
const accessors = createRequire(import.meta.url)('@duckdb/node-api/lib/vectors/dataAccessors.js') as {
  textDecoder: TextDecoder;
};
accessors.textDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
