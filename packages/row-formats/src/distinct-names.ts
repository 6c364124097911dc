/** Names of which no two are the same, ignoring case: later ones get `_1`, `_2` and so on. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names.map((name) => name.toLowerCase()));
  const seen = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let at = 1; seen.has(own.toLowerCase()); at += 1) {
      const next = `${name}_${at}`;
      if (!taken.has(next.toLowerCase())) own = next;
    }
    seen.add(own.toLowerCase());
    return own;
  });
}
