import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { Imported, LegacyKind } from './kind.ts';

/** A fault in one of the records, which are numbered from 1. */
export interface LegacyFault {
  record: number;
  message: string;
}

/** By the `kind` of a record. */
export type LegacyKinds = Readonly<Record<string, LegacyKind>>;

/**
 * Adds the records of another system once all have passed their checks; none if any has a fault. Repeating an
 * import adds nothing.
 */
export async function importLegacy(
  db: Database,
  kinds: LegacyKinds,
  records: readonly unknown[],
): Promise<{ faults: LegacyFault[] } | { imported: Imported[] }> {
  const faults: LegacyFault[] = [];
  const ready: { kind: LegacyKind; record: { organizationId: string } }[] = [];
  for (const [index, given] of records.entries()) {
    const found = await checked(db, kinds, given);
    if (Array.isArray(found)) faults.push(...found.map((message) => ({ record: index + 1, message })));
    else ready.push(found);
  }
  if (faults.length > 0) return { faults };
  const imported: Imported[] = [];
  for (const { kind, record } of ready)
    imported.push(
      await inOrganization(db, record.organizationId, (transaction) => kind.insert(transaction, record)),
    );
  return { imported };
}

async function checked(
  db: Database,
  kinds: LegacyKinds,
  given: unknown,
): Promise<{ kind: LegacyKind; record: { organizationId: string } } | string[]> {
  const { kind: name } = (given ?? {}) as { kind?: unknown };
  const kind = typeof name === 'string' && Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) return [`kind: must be one of ${Object.keys(kinds).join(', ')}.`];
  const record = kind.read(given);
  if (Array.isArray(record)) return record;
  const faults = await discarding(db, record.organizationId, (transaction) =>
    kind.faultsOf(transaction, record),
  );
  return faults.length > 0 ? faults : { kind, record };
}

class Discarded extends Error {}

/** Returns the result of the work and rolls back what it wrote. */
async function discarding<T>(
  db: Database,
  organizationId: string,
  work: (transaction: Parameters<Parameters<typeof inOrganization>[2]>[0]) => Promise<T>,
): Promise<T> {
  let result: { value: T } | undefined;
  await inOrganization(db, organizationId, async (transaction) => {
    result = { value: await work(transaction) };
    throw new Discarded();
  }).catch((error: unknown) => {
    if (!(error instanceof Discarded)) throw error;
  });
  return result!.value;
}
