/** A shorter text may be a word of any sentence, and no secret worth its name. */
const minLength = 6;

/** Takes secrets out of what a server says: it may repeat what was sent to it. */
export interface Redaction {
  add(secret: string): void;
  text(said: string): string;
  /** The same for every text within a value of JSON. */
  value<T>(said: T): T;
}

export function createRedaction(secrets: readonly string[]): Redaction {
  const known = new Set<string>();
  const add = (secret: string) => {
    if (secret.length >= minLength) known.add(secret);
  };
  for (const secret of secrets) add(secret);
  const text = (said: string) => {
    let shown = said;
    for (const secret of known) shown = shown.replaceAll(secret, '[secret]');
    return shown;
  };
  return {
    add,
    text,
    value(said) {
      if (known.size === 0) return said;
      let json = JSON.stringify(said);
      for (const secret of known) json = json.replaceAll(JSON.stringify(secret).slice(1, -1), '[secret]');
      return JSON.parse(json);
    },
  };
}
