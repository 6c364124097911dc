import type { z } from 'zod';
import { skimBody } from '../../data/lake/pages/members.ts';
import type { PageBody } from '../../data/lake/pages/read.ts';
import type { Row } from '../../data/lake/rows/plan.ts';
import { parseJson } from '../plugins/json-body.ts';
import { validate } from '../plugins/validation.ts';

/**
 * A page's body as its bytes came. Its records are read in one pass where they are looked at anyway; parsing and
 * validating them one value at a time is the way of bodies that have something unusual, or wrong, in them.
 */
export function pageBodyOf<T extends z.ZodType<{ records: Row[] }>>(
  bytes: Buffer,
  schema: T,
  members: readonly string[] = [],
): PageBody {
  return {
    whole: { bytes, members },
    records: () => validate(schema, bytes.length === 0 ? undefined : parseJson(bytes)).records,
  };
}

/** What stands beside the records, validated; the records themselves are not looked at where that is not needed. */
export function membersOf<T extends z.ZodType<{ records: Row[] }>>(
  bytes: Buffer,
  schema: T,
): Omit<z.infer<T>, 'records'> {
  const skimmed = skimBody(bytes);
  if (skimmed !== undefined) {
    const quick = schema.safeParse({ ...skimmed, records: [] });
    if (quick.success) return quick.data;
  }
  return validate(schema, bytes.length === 0 ? undefined : parseJson(bytes));
}
