import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { ValidationError, type ValidationFault } from '../../../data/errors.ts';
import { maxPageNumber } from '../../../domain/intake/ingestion/staged-pages.ts';
import { validate } from '../../plugins/validation.ts';

export const pageNumber = z.int().min(1).max(maxPageNumber);
const sha256Pattern = /^[0-9a-f]{64}$/;
const manifestPage = z.strictObject({ page_number: pageNumber, sha256: z.string().regex(sha256Pattern) });

/** As documented; its pages are validated by `readManifestPages`. */
export const manifestPages = z
  .custom<readonly unknown[]>((given) => Array.isArray(given), {
    abort: true,
    error: 'Input should be a valid list',
    params: { type: 'list_type' },
  })
  .refine((given) => given.length <= maxPageNumber, {
    error: `List should have at most ${maxPageNumber} items`,
    params: { type: 'too_long' },
  })
  .meta({ type: 'array', maxItems: maxPageNumber, items: z.toJSONSchema(manifestPage) });

const pagesPerTurn = 5_000;
const maxFaults = 20;

/**
 * The hash of each page of a manifest. There may be 30,000, so it yields to the event loop in between.
 *
 * @throws ValidationError if an entry is invalid, or a page is named twice
 */
export async function readManifestPages(given: readonly unknown[]): Promise<Map<number, string>> {
  const pages = new Map<number, string>();
  const faults: ValidationFault[] = [];
  for (const [index, page] of given.entries()) {
    if (faults.length >= maxFaults) break;
    if (index % pagesPerTurn === pagesPerTurn - 1) await setImmediate();
    if (!isManifestPage(page)) faults.push(...faultsOf(page, index));
    else if (pages.has(page.page_number))
      faults.push({
        loc: ['body', 'pages', index],
        msg: 'Each page can be listed only once.',
        type: 'value_error',
      });
    else pages.set(page.page_number, page.sha256);
  }
  if (faults.length > 0) throw new ValidationError(faults);
  return pages;
}

/** The same as the schema, but much faster. */
function isManifestPage(page: unknown): page is z.infer<typeof manifestPage> {
  if (typeof page !== 'object' || page === null || Object.keys(page).length !== 2) return false;
  const { page_number: number, sha256 } = page as Record<string, unknown>;
  const isNumbered = Number.isInteger(number) && Number(number) >= 1 && Number(number) <= maxPageNumber;
  return isNumbered && typeof sha256 === 'string' && sha256Pattern.test(sha256);
}

function faultsOf(page: unknown, index: number): ValidationFault[] {
  try {
    validate(manifestPage, page, 'body');
    return [];
  } catch (error) {
    return (error as ValidationError).faults.map((fault) => ({
      ...fault,
      loc: ['body', 'pages', index, ...fault.loc.slice(1)],
    }));
  }
}
