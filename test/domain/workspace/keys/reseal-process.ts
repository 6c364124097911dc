import { writeSync } from 'node:fs';
import { type Cipher, createCipher } from '../../../../data/encryption.ts';
import { createDatabase } from '../../../../data/postgres/client.ts';
import { resealSlice } from '../../../../domain/workspace/keys/reseal.ts';

/** A process that re-seals all values, as a worker does, and can be killed; it prints a dot for each. */
const cipher = createCipher(process.env['ENCRYPTION_KEYS']!);
const dotted: Cipher = {
  ...cipher,
  seal(plain) {
    writeSync(1, '.');
    return cipher.seal(plain);
  },
};
const url = process.env['DATABASE_URL']!;
const { db } = createDatabase({ url, maxConnections: 2, applicationName: 'reseal' });
let next: Parameters<typeof resealSlice>[1] = null;
do {
  ({ next } = await resealSlice({ db, cipher: dotted }, next, {
    values: 7,
    isOver: () => false,
    pageRows: 5,
  }));
} while (next !== null);
process.exit(0);
