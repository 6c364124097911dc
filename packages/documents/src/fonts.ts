import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as fontkit from 'fontkit';

export type FontFamily = keyof typeof files;
export type FontStyle = 'normal' | 'bold' | 'italics' | 'bolditalics';

const { resolve } = createRequire(import.meta.url);
const dejaVu = (name: string) => resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);
const devanagari = (name: string) => resolve(`@expo-google-fonts/noto-sans-devanagari/${name}.ttf`);
const noto = (region: string, name: string) =>
  fileURLToPath(new URL(`../fonts/${name}.otf`, import.meta.resolve(`@embedpdf/fonts-${region}`)));

/** By the fonts' own names. */
const files = {
  'DejaVu Sans': {
    normal: dejaVu('DejaVuSans'),
    bold: dejaVu('DejaVuSans-Bold'),
    italics: dejaVu('DejaVuSans-Oblique'),
    bolditalics: dejaVu('DejaVuSans-BoldOblique'),
  },
  'DejaVu Sans Mono': {
    normal: dejaVu('DejaVuSansMono'),
    bold: dejaVu('DejaVuSansMono-Bold'),
    italics: dejaVu('DejaVuSansMono-Oblique'),
    bolditalics: dejaVu('DejaVuSansMono-BoldOblique'),
  },
  'Noto Sans Devanagari': upright(
    devanagari('400Regular/NotoSansDevanagari_400Regular'),
    devanagari('700Bold/NotoSansDevanagari_700Bold'),
  ),
  'Noto Sans Japanese': upright(noto('jp', 'NotoSansJP-Regular'), noto('jp', 'NotoSansJP-Bold')),
  'Noto Sans Korean': upright(noto('kr', 'NotoSansKR-Regular'), noto('kr', 'NotoSansKR-Bold')),
  'Noto Sans S Chinese': upright(noto('sc', 'NotoSansHans-Regular'), noto('sc', 'NotoSansHans-Bold')),
};

function upright(normal: string, bold: string): Record<FontStyle, string> {
  return { normal, bold, italics: normal, bolditalics: bold };
}

export const fontFile = (family: FontFamily, style: FontStyle): string => files[family][style];
export const fontFiles: Readonly<Record<FontFamily, Readonly<Record<FontStyle, string>>>> = files;

const covers = new Map<FontFamily, (codePoint: number) => boolean>();

/** The font is opened on its first lookup. */
function isIn(family: FontFamily, codePoint: number): boolean {
  let known = covers.get(family);
  if (known === undefined) {
    const font = fontkit.openSync(fontFile(family, 'normal')) as fontkit.Font;
    const seen = new Map<number, boolean>();
    known = (wanted) => {
      const isThere = seen.get(wanted) ?? font.hasGlyphForCodePoint(wanted);
      seen.set(wanted, isThere);
      return isThere;
    };
    covers.set(family, known);
  }
  return known(codePoint);
}

type Advances = (codePoint: number) => number;
const advances = new Map<FontStyle, Advances>();

/** The advance of a character in ems of the main font; one em for characters of other fonts. */
export function advancesOf(style: 'normal' | 'bold'): Advances {
  let known = advances.get(style);
  if (known === undefined) {
    const font = fontkit.openSync(fontFile('DejaVu Sans', style)) as fontkit.Font;
    const seen = new Map<number, number>();
    known = (codePoint) => {
      const advance =
        seen.get(codePoint) ??
        (font.hasGlyphForCodePoint(codePoint)
          ? font.glyphForCodePoint(codePoint).advanceWidth / font.unitsPerEm
          : 1);
      seen.set(codePoint, advance);
      return advance;
    };
    advances.set(style, known);
  }
  return known;
}

const kana = /[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]/;
const hangul = /[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]/;

/**
 * Han characters look different in each of the three languages; the rest of a text shows which language it
 * is.
 */
export type EastAsian = readonly FontFamily[];
const inChinese: EastAsian = ['Noto Sans S Chinese', 'Noto Sans Japanese', 'Noto Sans Korean'];
const inJapanese: EastAsian = ['Noto Sans Japanese', 'Noto Sans S Chinese', 'Noto Sans Korean'];
const inKorean: EastAsian = ['Noto Sans Korean', 'Noto Sans S Chinese', 'Noto Sans Japanese'];

export function eastAsianOf(text: string, otherwise: EastAsian = inChinese): EastAsian {
  if (kana.test(text)) return inJapanese;
  return hangul.test(text) ? inKorean : otherwise;
}

/** Marks and joiners belong to the preceding character, whatever its font. */
const joined = /\p{M}|\u200c|\u200d/u;
const plain = /^[\u0020-\u024f\u2010-\u2027]*$/;

/** Splits a text where another font is needed; characters that no font has use the first one, as a box. */
export function splitByFont(
  text: string,
  base: readonly FontFamily[],
  eastAsian: EastAsian,
): { text: string; family: FontFamily }[] {
  const first = base[0]!;
  if (plain.test(text)) return [{ text, family: first }];
  const chain: FontFamily[] = [...base, 'Noto Sans Devanagari', ...eastAsian];
  const parts: { text: string; family: FontFamily }[] = [];
  for (const character of text) {
    const last = parts.at(-1);
    const codePoint = character.codePointAt(0)!;
    const isJoined = last !== undefined && joined.test(character) && isIn(last.family, codePoint);
    const family = isJoined ? last.family : (chain.find((each) => isIn(each, codePoint)) ?? first);
    if (last?.family === family) last.text += character;
    else parts.push({ text: character, family });
  }
  return parts;
}
