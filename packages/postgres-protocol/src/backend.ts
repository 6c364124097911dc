/** A column of an answer, as a client learns of it. */
export interface FieldDescription {
  name: string;
  /** The oid of its type. */
  oid: number;
  /** Bytes of a value; -1 if they vary. */
  size: number;
  /** What the type says besides its oid; -1 if nothing. */
  modifier: number;
}

export type TransactionState = 'idle' | 'open' | 'failed';

/** An error or a notice. */
export interface Report {
  severity: 'FATAL' | 'ERROR' | 'WARNING' | 'NOTICE';
  sqlState: string;
  message: string;
  detail?: string | undefined;
  hint?: string | undefined;
  /** Where in the statement, in characters from 1. */
  position?: number | undefined;
}

const stateCodes: Record<TransactionState, string> = { idle: 'I', open: 'T', failed: 'E' };

/** The messages of a server, as bytes. */
export const backend = {
  authenticationOk: () => message('R', int32(0)),
  cleartextPassword: () => message('R', int32(3)),
  parameterStatus: (name: string, value: string) => message('S', text(name), text(value)),
  keyData: (processId: number, secret: Buffer) => message('K', int32(processId), secret),
  /** The newest minor version that is spoken, and the options of the client that aren't known. */
  negotiateVersion: (minor: number, unknown: readonly string[]) =>
    message('v', int32(minor), int32(unknown.length), ...unknown.map(text)),
  readyForQuery: (state: TransactionState) => message('Z', Buffer.from(stateCodes[state])),
  parseComplete: () => message('1'),
  bindComplete: () => message('2'),
  closeComplete: () => message('3'),
  noData: () => message('n'),
  emptyQuery: () => message('I'),
  portalSuspended: () => message('s'),
  commandComplete: (tag: string) => message('C', text(tag)),
  parameterDescription: (oids: readonly number[]) =>
    message('t', int16(oids.length), ...oids.map((oid) => int32(oid | 0))),
  rowDescription: (fields: readonly FieldDescription[], formats: readonly number[]) =>
    message(
      'T',
      int16(fields.length),
      ...fields.map((field, index) => described(field, formats[index] ?? 0)),
    ),
  dataRow: (values: readonly (string | null)[]) => message('D', int16(values.length), ...values.map(cell)),
  error: (report: Report) => message('E', ...reported(report)),
  notice: (report: Report) => message('N', ...reported(report)),
  copyOut: (columns: number) =>
    message('H', Buffer.from([0]), int16(columns), ...Array.from({ length: columns }, () => int16(0))),
  copyDone: () => message('c'),
};

function described({ name, oid, size, modifier }: FieldDescription, format: number): Buffer {
  const fixed = Buffer.alloc(18);
  fixed.writeInt32BE(oid | 0, 6);
  fixed.writeInt16BE(size, 10);
  fixed.writeInt32BE(modifier, 12);
  fixed.writeInt16BE(format, 16);
  return Buffer.concat([text(name), fixed]);
}

function cell(value: string | null): Buffer {
  if (value === null) return int32(-1);
  const bytes = Buffer.from(value);
  return Buffer.concat([int32(bytes.length), bytes]);
}

function reported({ severity, sqlState, message: said, detail, hint, position }: Report): Buffer[] {
  const fields: [string, string | undefined][] = [
    ['S', severity],
    ['V', severity],
    ['C', sqlState],
    ['M', said],
    ['D', detail],
    ['H', hint],
    ['P', position?.toString()],
  ];
  const given = fields.flatMap(([code, value]) =>
    value === undefined ? [] : [Buffer.from(code), text(value)],
  );
  return [...given, Buffer.from([0])];
}

function message(kind: string, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  return Buffer.concat([Buffer.from(kind), int32(length), ...parts]);
}

/** A zero byte would end it. */
const text = (value: string): Buffer => Buffer.from(`${value.replaceAll('\0', ' ')}\0`);

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value > 32_767 ? value - 65_536 : value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
