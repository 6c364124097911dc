/** About how wide a text is, in ems: characters of East Asia are as wide as they are high. */
export function textWidth(text: string): number {
  let width = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x1100 && (code <= 0x11ff || (code >= 0x2e80 && code <= 0xd7ff) || code >= 0xf900)) width += 1;
    else if (code >= 0x41 && code <= 0x5a) width += 0.72;
    else if (code >= 0x30 && code <= 0x39) width += 0.65;
    else width += 0.61;
  }
  return width;
}
