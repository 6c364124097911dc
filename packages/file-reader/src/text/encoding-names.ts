import iconv from 'iconv-lite';

/** Encodings of the detection library that occur in today's files, with their public names. */
export const detectable: Record<string, string> = {
  'Windows-1252': 'WINDOWS_1252',
  'ISO-8859-1': 'WINDOWS_1252',
  'iso8859-15': 'WINDOWS_1252',
  'Windows-1250': 'WINDOWS_1250',
  'ISO-8859-2': 'ISO_8859_2',
  'Windows-1254': 'WINDOWS_1254',
  'ISO-8859-9': 'WINDOWS_1254',
  'Windows-1257': 'WINDOWS_1257',
  'ISO-8859-13': 'WINDOWS_1257',
  'Windows-1251': 'WINDOWS_1251',
  'KOI8-R': 'KOI8_R',
  'koi8-u': 'KOI8_U',
  IBM866: 'IBM866',
  'ISO-8859-5': 'ISO_8859_5',
  'Windows-1253': 'WINDOWS_1253',
  'ISO-8859-7': 'ISO_8859_7',
  'Windows-1255': 'WINDOWS_1255',
  'ISO-8859-8': 'WINDOWS_1255',
  'Windows-1256': 'WINDOWS_1256',
  CP874: 'WINDOWS_874',
  'TIS-620': 'WINDOWS_874',
  cp850: 'IBM850',
  cp437: 'IBM437',
  MacRoman: 'MACINTOSH',
  CP932: 'SHIFT_JIS',
  SHIFT_JIS: 'SHIFT_JIS',
  'EUC-JP': 'EUC_JP',
  GB18030: 'GB18030',
  Big5: 'BIG5',
  CP949: 'EUC_KR',
  'EUC-KR': 'EUC_KR',
};

/** Names of the registry that the library does not know, for encodings that it does. */
const aliases: Record<string, string> = {
  ibm00858: 'cp858',
  cp00858: 'cp858',
  ccsid00858: 'cp858',
  pcmultilingual850euro: 'cp858',
  cpis: 'cp861',
  iso10646ucs2: 'utf16be',
  csunicode: 'utf16be',
  iso10646ucs4: 'utf32be',
  csucs4: 'utf32be',
  // The order of the text is no matter of its bytes.
  iso88596e: 'iso88596',
  iso88596i: 'iso88596',
  extendedunixcodepackedformatforjapanese: 'eucjp',
  cseucpkdfmtjapanese: 'eucjp',
  ptcp154: 'pt154',
  cp154: 'pt154',
  cyrillicasian: 'pt154',
  kz1048: 'rk1048',
};

/** Internal codecs of the library that are not character encodings. */
const notEncodings = new Set(['base64', 'hex', 'binary', 'utf7imap', 'internal']);
const utf8Names = new Set(['utf8', 'unicode11utf8', 'ascii', 'usascii', 'cesu8']);

/**
 * The normalised encoding name used in this folder (`utf8`, `utf16le`, `windows1252`); undefined for an
 * unknown name.
 */
export function resolveEncoding(name: string): string | undefined {
  // The registry's own names may end with a year: `ISO_8859-1:1987`.
  const plain = name
    .toLowerCase()
    .replace(/:\d{4}$/, '')
    .replaceAll(/[^a-z0-9]/g, '');
  // Most encodings have one more name there, which begins with `cs`: `csUTF8`.
  return known(plain) ?? (plain.startsWith('cs') ? known(plain.slice(2)) : undefined);
}

/** The encoding that the library cannot decode and the platform can. */
export const platformEncoding = { name: 'iso2022jp', label: 'iso-2022-jp' } as const;

function known(plain: string): string | undefined {
  const canonical = aliases[plain] ?? plain;
  if (canonical === platformEncoding.name) return canonical;
  if (utf8Names.has(canonical)) return 'utf8';
  if (canonical === '' || notEncodings.has(canonical) || !iconv.encodingExists(canonical)) return undefined;
  return canonical;
}

/** Public names by normalised name. */
const publicNames: Record<string, string> = {
  utf8: 'UTF_8',
  utf16le: 'UTF_16LE',
  utf16be: 'UTF_16BE',
  utf32le: 'UTF_32LE',
  utf32be: 'UTF_32BE',
  iso88591: 'ISO_8859_1',
  iso2022jp: 'ISO_2022_JP',
  ...Object.fromEntries(Object.values(detectable).map((name) => [resolveEncoding(name) ?? name, name])),
};

/** The name shown for a detected encoding. */
export function encodingName(encoding: string): string {
  return publicNames[encoding] ?? encoding.toUpperCase();
}
