import { randomUUID } from 'node:crypto';
import { AppError } from '../../../data/errors.ts';
import { reportPrefix } from '../../../data/objects/keys.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { deleteObjectLater } from '../../workspace/files/files.ts';
import type { StoreDeps } from '../../workspace/files/store-object.ts';
import { limits } from '../../workspace/limits/limits.ts';
import type { ReportAssets } from './versions.ts';

/** More than a readable document can show. */
const maxReferences = limits.reports.results.most;
const maxTotalBytes = limits.reports.resultBytes.most;
/** Longer than any request takes to store its objects and to reference them. */
const unnamedMs = 3_600_000;
const atOnce = 8;

const reference = /\b(?:chart:cht|result:res)_[0-7][0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])/g;

/** Possible references in any form of Markdown; better one that is only mentioned than one too few. */
function referencesIn(markdown: string): string[] {
  const references = [...new Set(markdown.match(reference))];
  if (references.length <= maxReferences) return references;
  throw new AppError(
    'invalid_request',
    `The report refers to ${references.length} charts and results; the limit is ${maxReferences}. Split the report.`,
  );
}

/** A source that a report may refer to. */
export interface ReportSource {
  /** As written in a report: `chart:cht_…` or `result:res_…`. */
  name: string;
  /**
   * Copies it to objects below a key; returns their size in bytes, or undefined if it was removed meanwhile.
   */
  copy(key: string): Promise<number | undefined>;
}

/**
 * The existing sources of a project among these names. Conversations provide them, and are a higher layer
 * than reports.
 */
export type ReportSources = (
  db: OrganizationTransaction,
  project: { organizationId: string; projectId: string },
  names: readonly string[],
) => Promise<ReportSource[]>;

export type ReportDeps = StoreDeps & { reportSources: ReportSources };

export interface KeptAssets {
  assets: ReportAssets;
  /**
   * Prefix of the objects stored by this write; the transaction that references them removes it from the list
   * of objects to delete.
   */
  prefix: string | undefined;
}

/**
 * Copies the charts and results of the project's conversations that a report refers to into the report's own
 * storage, so that it outlives them. Missing sources are skipped. Objects are scheduled for removal before
 * they exist, and each attempt has its own keys: a crash leaves nothing behind and affects no other attempt.
 */
export async function keepAssets(
  { db, reportSources }: Pick<ReportDeps, 'db' | 'reportSources'>,
  { organizationId, projectId, reportId }: { organizationId: string; projectId: string; reportId: string },
  markdown: string,
  known: ReportAssets = {},
): Promise<KeptAssets> {
  const references = referencesIn(markdown);
  const assets: Record<string, string> = {};
  for (const name of references) if (known[name] !== undefined) assets[name] = known[name];
  const wanted = references.filter((name) => assets[name] === undefined);
  if (wanted.length === 0) return { assets, prefix: undefined };
  const prefix = `${reportPrefix(organizationId, reportId)}${randomUUID()}/`;
  const found = await inOrganization(db, organizationId, async (transaction) => {
    const sources = await reportSources(transaction, { organizationId, projectId }, wanted);
    if (sources.length > 0) await deleteObjectLater(transaction, organizationId, prefix, unnamedMs);
    return sources;
  });
  if (found.length === 0) return { assets, prefix: undefined };
  let totalBytes = 0;
  for (let from = 0; from < found.length; from += atOnce) {
    const kept = found.slice(from, from + atOnce).map(async ({ name, copy }) => {
      const key = `${prefix}${name.replace(':', '/')}`;
      const sizeBytes = await copy(key).catch(missing);
      if (sizeBytes === undefined) return;
      assets[name] = key;
      totalBytes += sizeBytes;
    });
    await Promise.all(kept);
    if (totalBytes > maxTotalBytes)
      throw new AppError(
        'invalid_request',
        'The charts and results of the report are larger than 32 MiB in total. Use fewer of them.',
      );
  }
  return { assets, prefix };
}

function missing(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined;
  throw error;
}
