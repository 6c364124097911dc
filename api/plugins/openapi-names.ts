import { STATUS_CODES } from 'node:http';

type Schema = Record<string, unknown>;

interface Operation {
  operationId?: string;
  parameters?: unknown;
  responses?: Record<string, { description?: string }>;
}

interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

/**
 * The document with a named schema for each enumeration (`RunStatus`), and with the status of each answer in
 * words. The meaning is the same. Bodies stay inline: generators name them after their operation, and demand
 * the fields of a referenced body that have a default.
 */
export function withNames<T extends object>(given: T): T {
  const document = structuredClone(given) as Document;
  const schemas = document.components?.schemas ?? {};
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
  for (const operation of operations) describeAnswers(operation);
  nameEnumerations(operations, schemas);
  return { ...document, components: { ...document.components, schemas } } as unknown as T;
}

function describeAnswers({ responses = {} }: Operation): void {
  for (const [status, answer] of Object.entries(responses))
    if (answer.description === 'Default Response') answer.description = STATUS_CODES[status] ?? status;
}

interface Place {
  /** The named schema or the operation that contains it. */
  owner: string;
  /** The property or parameter that it describes, after those that contain it. */
  properties: readonly string[];
  schema: Schema;
}

/**
 * Enumerations with the same values, of properties with the same name, are one. Its name begins with that of
 * a named schema that has it, or else of an operation: the shortest.
 */
function nameEnumerations(operations: readonly Operation[], schemas: Record<string, Schema>): void {
  const places: Place[] = [];
  const isSchema = ({ owner }: Place) => Number(owner in schemas);
  const byOwner = (a: Place, b: Place) =>
    isSchema(b) - isSchema(a) || a.owner.length - b.owner.length || a.owner.localeCompare(b.owner);
  for (const [owner, schema] of Object.entries(schemas)) collect(schema, owner, [], places);
  for (const operation of operations) collect(operation, pascal(operation.operationId ?? ''), [], places);
  const groups = Map.groupBy(places, ({ properties, schema }) =>
    JSON.stringify([properties.at(-1), schema['enum']]),
  );
  for (const group of groups.values()) {
    const [{ owner, properties, schema }] = group.toSorted(byOwner) as [Place];
    const name = [1, 2, 3]
      .map((many) => pascal([owner.replace(/Input$/, ''), ...properties.slice(-many)].join('_')))
      .find((free) => !(free in schemas));
    if (name === undefined) continue;
    schemas[name] = { type: schema['type'], enum: schema['enum'] };
    for (const place of group) {
      const { type: _, enum: __, ...besides } = place.schema;
      for (const key of Object.keys(place.schema)) delete place.schema[key];
      Object.assign(place.schema, referenceTo(name), besides);
    }
  }
}

/** Finds each list of strings that a value may be one of, below a part of the document. */
function collect(part: unknown, owner: string, within: readonly string[], found: Place[]): void {
  if (typeof part !== 'object' || part === null) return;
  if (Array.isArray(part)) {
    for (const item of part) collect(item, owner, within, found);
    return;
  }
  const schema = part as Schema;
  const { enum: values, type, properties, name, schema: ofParameter, ...others } = schema;
  if (Array.isArray(values) && values.length > 1 && type === 'string' && within.length > 0)
    found.push({ owner, properties: within, schema });
  if (typeof name === 'string' && ofParameter !== undefined) collect(ofParameter, owner, [name], found);
  else collect(ofParameter, owner, within, found);
  for (const [key, inner] of Object.entries(properties ?? {})) collect(inner, owner, [...within, key], found);
  for (const [key, inner] of Object.entries(others))
    if (key !== 'example' && key !== 'examples' && key !== 'default') collect(inner, owner, within, found);
}

const referenceTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
