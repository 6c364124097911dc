import type { FastifyInstance } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { AppError, ValidationError } from '../../data/errors.ts';
import { faultsOf } from '../../data/validation-faults.ts';

const partNames: Record<string, string> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** Validates with the zod schemas that generate the OpenAPI document, and words faults as pydantic does. */
export function validation(app: FastifyInstance, validateResponses: boolean): void {
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (data) => {
    // A raw body is parsed by its route.
    if (Buffer.isBuffer(data)) return { value: data };
    // Fastify represents a missing body as null.
    const input = httpPart === 'body' && data === null ? undefined : data;
    try {
      const part = partNames[httpPart ?? 'body'] ?? 'body';
      const value = validate(schema, input, part);
      if (part === 'path' || part === 'query') refuseNul(value as Record<string, unknown>, part);
      return { value };
    } catch (error) {
      return { error: error as ValidationError };
    }
  });
  app.addHook('preValidation', async ({ url, routeOptions }) => {
    const known = (routeOptions.schema?.querystring as z.ZodObject | undefined)?.shape ?? {};
    const broken = undecoded(url).find((name) => Object.hasOwn(known, name));
    if (broken !== undefined)
      throw new ValidationError([
        { loc: ['query', broken], msg: "The value isn't valid percent-encoded UTF-8.", type: 'value_error' },
      ]);
  });
  if (validateResponses) app.setSerializerCompiler(serializerCompiler);
  else app.setSerializerCompiler(() => (data) => JSON.stringify(data));
}

/** The parameters of a query that cannot be decoded: Fastify takes the encoding of one for its value. */
function undecoded(url: string): string[] {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return [];
  const parameters = url.slice(start + 1).split('&');
  return parameters.filter((one) => !isDecodable(one)).map((one) => one.split('=')[0]!);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses the input with the schema.
 *
 * @throws ValidationError with every fault, located in that part of the request
 */
export function validate<T extends z.ZodType>(schema: T, input: unknown, part = 'body'): z.infer<T> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  throw new ValidationError(faultsOf(result.error.issues, [part]));
}

/** PostgreSQL cannot store NUL: a path with one names nothing, and a query with one is invalid. */
function refuseNul(values: Record<string, unknown>, part: 'path' | 'query'): void {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string' || !value.includes('\u0000')) continue;
    if (part === 'path') throw new AppError('not_found', `${name} contains the NUL character. Names can't.`);
    const msg = "Text can't contain the NUL character.";
    throw new ValidationError([{ loc: ['query', name], msg, type: 'value_error' }]);
  }
}
