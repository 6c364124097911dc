import type { Construct, Extension, TokenizeContext } from 'micromark-util-types';
import type { Processor } from 'unified';
import { DocumentFault } from './fault.ts';

/**
 * What opens or closes something in a text, and how many of it one paragraph, heading or cell may have. The
 * parser looks back from each closing one for its opening one, and forward from each opening one for its end,
 * so its time grows with their square.
 */
const bounds: readonly { codes: readonly number[]; most: number; what: string }[] = [
  { codes: codesOf('*_~'), most: 1_000, what: 'marks of emphasis (*, _ or ~)' },
  { codes: codesOf('[!'), most: 500, what: 'brackets' },
  { codes: codesOf('<'), most: 200, what: 'signs "<"' },
  // The parser's codes of CR, LF and both.
  { codes: [-5, -4, -3], most: 5_000, what: 'lines' },
];

function codesOf(characters: string): number[] {
  return [...characters].map((character) => character.charCodeAt(0));
}

/** Counts in each text without reading anything, and ends the parsing of one that has too many. */
function counter(most: number, what: string): Construct {
  const counts = new WeakMap<TokenizeContext, number>();
  return {
    name: 'bounded',
    tokenize(_effects, _ok, nok) {
      const count = (counts.get(this) ?? 0) + 1;
      counts.set(this, count);
      if (count > most) throw tooDense(most, what);
      return nok;
    },
  };
}

function tooDense(most: number, what: string): DocumentFault {
  return new DocumentFault(
    'report_too_complex',
    `A paragraph of the report has more than ${most.toLocaleString('en')} ${what}. Split it.`,
  );
}

const extension: Extension = {
  text: Object.fromEntries(
    bounds.flatMap(({ codes, most, what }) => {
      const construct = counter(most, what);
      return codes.map((code) => [code, construct] as const);
    }),
  ),
};

/** A plugin of the parser. */
export function boundedText(this: Processor): void {
  const data = this.data() as { micromarkExtensions?: Extension[] };
  data.micromarkExtensions ??= [];
  data.micromarkExtensions.push(extension);
}
