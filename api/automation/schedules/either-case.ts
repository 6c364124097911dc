import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { camelName } from '../../camel-keys.ts';
import { isMap, notMap } from '../../free-form.ts';

/**
 * An object whose members are also accepted in camelCase, so that an answer can be sent back; one in both
 * spellings must be the same in both. A fault names the member as it was sent.
 */
export function eitherCase<Schema extends z.ZodObject>(schema: Schema) {
  const names = new Map(Object.keys(schema.shape).map((name) => [camelName(name), name]));
  return z
    .custom<Record<string, unknown>>(isMap, { ...notMap, abort: true })
    .meta(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>)
    .transform((given, context): z.output<Schema> => {
      const sent = new Map<string, string>();
      const members: [string, unknown][] = [];
      for (const [name, value] of Object.entries(given)) {
        const own = names.get(name) ?? name;
        const before = sent.get(own);
        if (before !== undefined && isDeepStrictEqual(given[before], value)) continue;
        if (before !== undefined) {
          const message = `The same field was also sent as ${before}. Send only one of them.`;
          const params = { type: 'value_error' };
          context.issues.push({ code: 'custom', path: [name], message, params, input: value });
          continue;
        }
        sent.set(own, name);
        members.push([own, value]);
      }
      const parsed = schema.safeParse(Object.fromEntries(members), { reportInput: true });
      if (parsed.success) return parsed.data;
      for (const issue of parsed.error.issues) {
        const [first, ...rest] = issue.path;
        const path = first === undefined ? [] : [sent.get(String(first)) ?? first, ...rest];
        context.issues.push({ ...issue, path } as z.core.$ZodRawIssue);
      }
      return z.NEVER;
    });
}
