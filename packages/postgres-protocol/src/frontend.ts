import { violation } from './fault.ts';
import { Fields } from './fields.ts';
import type { RawMessage } from './reader.ts';

/** A value as a client binds it; null has no bytes. */
export type BoundBytes = Buffer | null;

export type Target = { of: 'statement' | 'portal'; name: string };

/** A message of a client that has signed in. */
export type FrontendMessage =
  | { kind: 'query'; sql: string }
  | { kind: 'parse'; name: string; sql: string; types: number[] }
  | {
      kind: 'bind';
      portal: string;
      statement: string;
      /** One for each value, one for all of them, or none for text. */
      formats: number[];
      values: BoundBytes[];
      /** The same for the columns of the answer. */
      resultFormats: number[];
    }
  | { kind: 'describe'; target: Target }
  | { kind: 'close'; target: Target }
  | { kind: 'execute'; portal: string; mostRows: number }
  | { kind: 'flush' | 'sync' | 'terminate' | 'copy' }
  | { kind: 'call' };

/** @throws ProtocolFault */
export function readFrontend({ kind, body }: RawMessage): FrontendMessage {
  const fields = new Fields(body);
  const message = readers[kind]?.(fields);
  if (message === undefined) throw violation(`A message of the unknown kind ${JSON.stringify(kind)} came.`);
  if (message.kind !== 'copy' && message.kind !== 'call') fields.end();
  return message;
}

/** A password, which is the only message of a client that signs in. */
export function readPassword({ kind, body }: RawMessage): string {
  if (kind !== 'p') throw violation('A password was expected.');
  return new Fields(body).text();
}

const readers: Record<string, (fields: Fields) => FrontendMessage> = {
  Q: (fields) => ({ kind: 'query', sql: fields.text() }),
  P: (fields) => ({
    ...{ kind: 'parse', name: fields.text(), sql: fields.text() },
    types: fields.list(() => fields.int32() >>> 0),
  }),
  B: (fields) => ({
    ...{ kind: 'bind', portal: fields.text(), statement: fields.text() },
    formats: fields.list(() => format(fields)),
    values: fields.list(() => value(fields)),
    resultFormats: fields.list(() => format(fields)),
  }),
  D: (fields) => ({ kind: 'describe', target: target(fields) }),
  C: (fields) => ({ kind: 'close', target: target(fields) }),
  E: (fields) => ({ kind: 'execute', portal: fields.text(), mostRows: Math.max(0, fields.int32()) }),
  H: () => ({ kind: 'flush' }),
  S: () => ({ kind: 'sync' }),
  X: () => ({ kind: 'terminate' }),
  F: () => ({ kind: 'call' }),
  // Rows of a COPY that was refused may still come.
  d: () => ({ kind: 'copy' }),
  c: () => ({ kind: 'copy' }),
  f: () => ({ kind: 'copy' }),
};

function format(fields: Fields): number {
  const code = fields.int16();
  if (code !== 0 && code !== 1) throw violation(`The format code ${code} isn't known.`);
  return code;
}

function value(fields: Fields): BoundBytes {
  const length = fields.int32();
  if (length < -1) throw violation('The length of a value is negative.');
  return length === -1 ? null : fields.bytes(length);
}

function target(fields: Fields): Target {
  const of = String.fromCharCode(fields.byte());
  if (of !== 'S' && of !== 'P') throw violation('Neither a statement nor a portal is named.');
  return { of: of === 'S' ? 'statement' : 'portal', name: fields.text() };
}

/** The format of one of several, given one for each, one for all, or none. */
export function formatOf(formats: readonly number[], index: number): number {
  return (formats.length === 1 ? formats[0] : formats[index]) ?? 0;
}
