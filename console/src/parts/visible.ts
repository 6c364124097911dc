/** Controls, and characters that are not seen or turn the direction of what follows. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A text as it is read by whoever decides on it: what cannot be seen in it is written out. */
export const visible = (text: string): string =>
  text.replaceAll(unseen, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
