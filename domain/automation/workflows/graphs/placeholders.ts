import { placeholder } from '../../../../packages/sql-guard/index.ts';

/** `${params.name}` and `${node.port}`: references in config texts to values known only in a run. */
const reference = /^([A-Za-z_][\w-]{0,63})\.([A-Za-z_]\w{0,63})$/;

export interface Placeholder {
  /** Path in the config: `["payload", "rows", 0]`. */
  path: (string | number)[];
  /** As written, without the braces. */
  text: string;
  /** How often the text at this path has it. */
  times: number;
  /** A node's id, or `params`; undefined if it is not a reference. */
  of: string | undefined;
  name: string | undefined;
}

/** Every placeholder in the texts of a config, at any depth; each once for a text that repeats it. */
export function placeholdersIn(value: unknown, path: (string | number)[] = []): Placeholder[] {
  if (typeof value === 'string') {
    const times = new Map<string, number>();
    for (const whole of value.match(placeholder) ?? []) times.set(whole, (times.get(whole) ?? 0) + 1);
    return [...times].map(([whole, count]) => {
      const text = whole.slice(2, -1);
      const [, of, name] = reference.exec(text) ?? [];
      return { path, text, times: count, of, name };
    });
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => placeholdersIn(item, [...path, index]));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, item]) => placeholdersIn(item, [...path, key]));
  return [];
}
