type Schema = { [key: string]: unknown };
type Properties = Record<string, Schema | false>;

interface Alternative {
  title?: string;
  required?: string[];
  /** False of one that is refused there. */
  properties?: Properties;
}

const alternativeKeys = ['title', 'required', 'properties'];

/**
 * The document with each alternative of an object as a whole object of its own, and no schema that is only
 * `false`. It says the same, but generators of clients take a schema that is `false` for an error, and what
 * is merely required for no type.
 */
export function withWholeAlternatives<T>(part: T): T {
  if (Array.isArray(part)) return part.map((item) => withWholeAlternatives(item as unknown)) as T;
  if (typeof part !== 'object' || part === null) return part;
  const read = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, withWholeAlternatives(value as unknown)]),
  );
  return (hasAlternatives(read) ? distributed(read) : read) as T;
}

interface Alternating extends Schema {
  oneOf: Alternative[];
  properties: Record<string, Schema>;
  required?: string[];
}

function hasAlternatives(schema: Schema): schema is Alternating {
  const { oneOf, type, properties, additionalProperties } = schema;
  return (
    Array.isArray(oneOf) &&
    type === 'object' &&
    typeof properties === 'object' &&
    additionalProperties === false &&
    oneOf.every((one) => Object.keys(one as object).every((key) => alternativeKeys.includes(key)))
  );
}

function distributed(schema: Alternating): Schema {
  const { oneOf, type, properties, additionalProperties, required = [], ...rest } = schema;
  const whole = ({ title, required: also = [], properties: narrowed = {} }: Alternative): Schema => ({
    ...(title === undefined ? {} : { title }),
    type,
    properties: Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) => {
        const narrower = Object.hasOwn(narrowed, name) ? narrowed[name] : undefined;
        // Of an object that takes nothing else, one that is left out is refused.
        return narrower === false ? [] : [[name, narrow(property, narrower)]];
      }),
    ),
    required: [...new Set([...required, ...also])],
    additionalProperties,
  });
  return { ...rest, oneOf: oneOf.map(whole) };
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
