/** Text that is HTML already; anything else put into a page is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character]!);

type Piece = Html | string | number | undefined | readonly Html[];

/** A piece of a page: what is put in is escaped, unless it is made by this function itself. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  const shown = (piece: Piece): string => {
    if (piece === undefined) return '';
    if (piece instanceof Html) return piece.text;
    if (typeof piece === 'object') return piece.map(({ text }) => text).join('');
    return escaped(String(piece));
  };
  return new Html(strings.map((text, at) => (at === 0 ? text : shown(pieces[at - 1]) + text)).join(''));
}
