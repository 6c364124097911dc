import type { Sink } from './sink.ts';

/** Writes a number, given as decimal text, as groups of four digits with the place of the first. */
export function writeNumeric(sink: Sink, text: string): void {
  const isNegative = text.startsWith('-');
  const [whole = '', fraction = ''] = (isNegative ? text.slice(1) : text).split('.');
  const left = whole.padStart(Math.ceil(whole.length / 4) * 4, '0');
  const right = fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0');
  const groups = (left + right).match(/.{4}/g)?.map(Number) ?? [];
  let weight = left.length / 4 - 1;
  while (groups[0] === 0) {
    groups.shift();
    weight -= 1;
  }
  while (groups.at(-1) === 0) groups.pop();
  sink.int16(groups.length);
  sink.int16(groups.length === 0 ? 0 : weight);
  sink.int16(isNegative && groups.length > 0 ? 0x4000 : 0);
  sink.int16(fraction.length);
  for (const group of groups) sink.int16(group);
}
