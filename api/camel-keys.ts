type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** The same members in camelCase, as the service's own code and its answers name them. */
export type CamelKeys<T> = { [Key in keyof T as Key extends string ? Camel<Key> : Key]: T[Key] };

/** `page_size` as `pageSize`. */
export const camelName = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A request's object for the domain; nested members are unchanged. */
export function camelKeys<T extends object>(sent: T): CamelKeys<T> {
  return Object.fromEntries(
    Object.entries(sent).map(([key, value]) => [camelName(key), value]),
  ) as CamelKeys<T>;
}
