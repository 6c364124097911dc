/** A shorter text may be an ordinary word, and is too short to be a secret. */
const minLength = 6;

/** Removes secrets from a server's text, which may echo what was sent to it. */
export interface Redaction {
  add(secret: string): void;
  /** Those that it removes. */
  secrets(): readonly string[];
  text(said: string): string;
  /** The same for every string within a JSON value. */
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
    secrets: () => [...known],
    text,
    value(said) {
      if (known.size === 0) return said;
      let json = JSON.stringify(said);
      for (const secret of known) json = json.replaceAll(JSON.stringify(secret).slice(1, -1), '[secret]');
      return JSON.parse(json);
    },
  };
}
