import { violation } from './fault.ts';
import { Fields } from './fields.ts';
import { type TypeName, typeName } from './oids.ts';

/** From 1970 to 2000, where PostgreSQL's times begin. */
const epochMs = 946_684_800_000;
const endOfTime = 2n ** 63n - 1n;
const endOfDates = 2 ** 31 - 1;

/** The text of a value that was sent in binary. */
export function textOfBinary(type: TypeName, bytes: Buffer): string {
  const fields = new Fields(bytes);
  const read = readers[type];
  if (read === undefined) throw violation(`Values of the type ${type} can only be sent as text.`);
  const text = read(fields, bytes);
  fields.end();
  return text;
}

const int64 = (fields: Fields): bigint => fields.bytes(8).readBigInt64BE();
const wholeText = (fields: Fields): string => fields.bytes(fields.left).toString('utf8');

const readers: Partial<Record<TypeName, (fields: Fields, bytes: Buffer) => string>> = {
  bool: (fields) => (fields.byte() === 0 ? 'f' : 't'),
  bytea: (fields) => `\\x${fields.bytes(fields.left).toString('hex')}`,
  int2: (fields) => String(fields.int16()),
  int4: (fields) => String(fields.int32()),
  int8: (fields) => String(int64(fields)),
  oid: (fields) => String(fields.int32() >>> 0),
  float4: (fields) => floatText(fields.bytes(4).readFloatBE()),
  float8: (fields) => floatText(fields.bytes(8).readDoubleBE()),
  ...{ text: wholeText, varchar: wholeText, bpchar: wholeText, name: wholeText, char: wholeText },
  ...{ unknown: wholeText, json: wholeText },
  jsonb: (fields) => {
    if (fields.byte() !== 1) throw violation('This version of jsonb is unknown.');
    return wholeText(fields);
  },
  numeric: numericText,
  date: (fields) => {
    const days = fields.int32();
    if (Math.abs(days) >= endOfDates) return days > 0 ? 'infinity' : '-infinity';
    return isoText(BigInt(days) * 86_400_000_000n).split('T')[0]!;
  },
  time: (fields) => timeText(int64(fields)),
  timetz: (fields) => {
    const time = timeText(int64(fields));
    const west = fields.int32();
    const minutes = Math.floor(Math.abs(west) / 60);
    const two = (value: number) => String(value).padStart(2, '0');
    return `${time}${west > 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  },
  timestamp: (fields) => instantText(int64(fields)).replace('T', ' '),
  timestamptz: (fields) => {
    const text = instantText(int64(fields));
    return text.endsWith('infinity') ? text : `${text}+00`;
  },
  interval: (fields) => {
    const micros = int64(fields);
    const [days, months] = [fields.int32(), fields.int32()];
    const [size, sign] = micros < 0n ? [-micros, '-'] : [micros, ''];
    const fraction = String(size % 1_000_000n).padStart(6, '0');
    return `P${months}M${days}DT${sign}${size / 1_000_000n}.${fraction}S`;
  },
  uuid: (fields) =>
    fields
      .bytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
};

const floatText = (value: number): string => (Number.isNaN(value) ? 'NaN' : String(value));

function instantText(micros: bigint): string {
  if (micros >= endOfTime) return 'infinity';
  if (micros <= -endOfTime) return '-infinity';
  return isoText(micros);
}

/** @throws ProtocolFault for a time that no date of the calendar has */
function isoText(micros: bigint): string {
  let ms = micros / 1_000n;
  let rest = micros % 1_000n;
  if (rest < 0n) {
    rest += 1_000n;
    ms -= 1n;
  }
  const date = new Date(Number(ms) + epochMs);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9_999)
    throw violation('A date is outside the years 1 to 9999. Send it as text.');
  return date.toISOString().replace('Z', String(rest).padStart(3, '0'));
}

function timeText(micros: bigint): string {
  const two = (value: bigint) => String(value).padStart(2, '0');
  const seconds = micros / 1_000_000n;
  const fraction = String(micros % 1_000_000n).padStart(6, '0');
  return `${two(seconds / 3_600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}.${fraction}`;
}

const mostDigitGroups = 64;

/** Groups of four decimal digits, with the place of the first. */
function numericText(fields: Fields): string {
  const count = fields.int16();
  const weight = fields.int16();
  const sign = fields.int16() & 0xffff;
  const scale = fields.int16();
  if (sign === 0xc000) return 'NaN';
  if (sign === 0xd000 || sign === 0xf000) return sign === 0xd000 ? 'Infinity' : '-Infinity';
  if (count < 0 || count > mostDigitGroups || Math.abs(weight) > mostDigitGroups || scale < 0)
    throw violation('A number has too many digits.');
  const groups = Array.from({ length: count }, () => fields.int16());
  if (groups.some((group) => group < 0 || group > 9_999)) throw violation("A number isn't readable.");
  const group = (place: number) => String(groups[weight - place] ?? 0).padStart(4, '0');
  let whole = '';
  for (let place = Math.max(weight, 0); place >= 0; place -= 1) whole += group(place);
  let fraction = '';
  for (let place = -1; fraction.length < Math.min(scale, 256); place -= 1) fraction += group(place);
  const text = whole.replace(/^0+(?=\d)/, '') + (scale > 0 ? `.${fraction.slice(0, scale)}` : '');
  return sign === 0x4000 ? `-${text}` : text;
}

/** The items of an array, as texts of their type. */
export function itemsOfBinary(bytes: Buffer): { type: TypeName; items: (string | null)[] } {
  const fields = new Fields(bytes);
  const dimensions = fields.int32();
  fields.int32();
  const type = typeName(fields.int32() >>> 0);
  if (type === undefined) throw violation("The type of the items of an array isn't known.");
  if (dimensions === 0) return { type, items: [] };
  if (dimensions !== 1) throw violation('An array can have one dimension.');
  const count = fields.int32();
  fields.int32();
  const items: (string | null)[] = [];
  for (let at = 0; at < count; at += 1) {
    const length = fields.int32();
    items.push(length === -1 ? null : textOfBinary(type, fields.bytes(length)));
  }
  fields.end();
  return { type, items };
}
