import { advancesOf } from './fonts.ts';

/** The approximate width of a text, in ems. */
export function textWidth(text: string, isBold = false): number {
  const advanceOf = advancesOf(isBold ? 'bold' : 'normal');
  let width = 0;
  for (const character of text) width += advanceOf(character.codePointAt(0)!);
  return width;
}
