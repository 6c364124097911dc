type Schema = { [key: string]: unknown };
type Properties = Record<string, Schema | false>;

interface Alternative {
  title?: string;
  required?: string[];
  /** False if the property is refused in this alternative. */
  properties?: Properties;
}

const alternativeKeys = ['title', 'required', 'properties'];

/**
 * The document with each alternative of an object as a complete object, and without schemas that are only
 * `false`. The meaning is the same, but client generators take a `false` schema for an error, and a property
 * that is only required as having no type.
 */
export function withWholeAlternatives<T>(part: T): T {
  if (Array.isArray(part)) return part.map((item) => withWholeAlternatives(item as unknown)) as T;
  if (typeof part !== 'object' || part === null) return part;
  const read = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, withWholeAlternatives(value as unknown)]),
  );
  const kind = kindOfAlternatives(read);
  return (kind === undefined ? read : distributed(read as Alternating, kind)) as T;
}

interface Alternating extends Schema {
  oneOf: Alternative[];
  anyOf: Alternative[];
  properties: Record<string, Schema>;
  required?: string[];
}

function kindOfAlternatives(schema: Schema): 'oneOf' | 'anyOf' | undefined {
  const { type, properties, additionalProperties } = schema;
  if (type !== 'object' || typeof properties !== 'object' || additionalProperties !== false) return undefined;
  const [kind, another] = (['oneOf', 'anyOf'] as const).filter((name) => Array.isArray(schema[name]));
  if (kind === undefined || another !== undefined) return undefined;
  const isWhole = (one: object) => !Object.keys(one).every((key) => alternativeKeys.includes(key));
  return (schema[kind] as object[]).some(isWhole) ? undefined : kind;
}

function distributed(schema: Alternating, kind: 'oneOf' | 'anyOf'): Schema {
  const { [kind]: alternatives, type, properties, additionalProperties, required = [], ...rest } = schema;
  const whole = ({ title, required: also = [], properties: narrowed = {} }: Alternative): Schema => ({
    ...(title === undefined ? {} : { title }),
    type,
    properties: Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) => {
        const narrower = Object.hasOwn(narrowed, name) ? narrowed[name] : undefined;
        // With additionalProperties false, a missing property is refused.
        return narrower === false ? [] : [[name, narrow(property, narrower)]];
      }),
    ),
    required: [...new Set([...required, ...also])],
    additionalProperties,
  });
  return { ...rest, type, [kind]: alternatives.map(whole) };
}

function narrow(property: Schema, narrower: Schema | undefined): Schema {
  if (narrower === undefined) return property;
  const { enum: values, ...others } = narrower;
  if ('$ref' in property || Object.keys(others).some((key) => key in property))
    return { allOf: [property, narrower] };
  const { default: preset, ...bare } = property;
  const isPreset = preset !== undefined && (!Array.isArray(values) || values.includes(preset));
  return { ...bare, ...narrower, ...(isPreset ? { default: preset } : {}) };
}
