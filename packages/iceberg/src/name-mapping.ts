/** A name that files without field ids have for a column, or for a part of one. */
export interface MappedName {
  /** Files with the same mapping name everything in the same way. */
  mapping: number;
  name: string;
  columnId: number;
  /** The name's own id in its mapping, and that of the name that it is a part of. */
  id: number;
  parent: number | null;
}

interface MappedField {
  'field-id': number;
  names: string[];
  fields?: MappedField[];
}

/**
 * One mapping for all files of a table (`schema.name-mapping.default`), and the mappings that contradict it:
 * their files name a column as others name another one. The newest mapping comes first.
 */
export function nameMapping(names: readonly MappedName[]): {
  fields: MappedField[];
  contradicting: number[];
} {
  const known = new Map<string, number>();
  const fields: MappedField[] = [];
  const contradicting: number[] = [];
  const byMapping = [...Map.groupBy(names, ({ mapping }) => mapping)].sort(([a], [b]) => b - a);
  for (const [mapping, own] of byMapping) {
    const paths = own.map((each) => [pathOf(each, own), each.columnId] as const);
    // A column that the files of another mapping have under this name, or have not at all.
    if (paths.some(([path, id]) => (known.get(path) ?? id) !== id)) {
      contradicting.push(mapping);
      continue;
    }
    for (const [path, id] of paths) known.set(path, id);
    merge(fields, own, null);
  }
  return { fields, contradicting };
}

function pathOf({ name, parent }: MappedName, own: readonly MappedName[]): string {
  const outer = own.find(({ id }) => id === parent);
  return outer === undefined ? JSON.stringify(name) : `${pathOf(outer, own)}.${JSON.stringify(name)}`;
}

function merge(fields: MappedField[], own: readonly MappedName[], parent: number | null): void {
  for (const each of own.filter((one) => one.parent === parent)) {
    let field = fields.find((one) => one['field-id'] === each.columnId);
    if (field === undefined) {
      field = { 'field-id': each.columnId, names: [] };
      fields.push(field);
    }
    if (!field.names.includes(each.name)) field.names.push(each.name);
    if (own.some((one) => one.parent === each.id)) {
      field.fields ??= [];
      merge(field.fields, own, each.id);
    }
  }
}
