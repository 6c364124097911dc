import { randomUUID } from 'node:crypto';
import { AppError } from '../../../data/errors.ts';
import { reportPrefix } from '../../../data/objects/keys.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { deleteObjectLater } from '../../workspace/files/files.ts';
import type { StoreDeps } from '../../workspace/files/store-object.ts';
import type { ReportAssets } from './versions.ts';

/** More than a report can show in a document that somebody reads. */
const maxReferences = 100;
const maxTotalBytes = 33_554_432;
/** Longer than any request takes to store its objects and to name them. */
const unnamedMs = 3_600_000;
const atOnce = 8;

const reference = /\b(?:chart:cht|result:res)_[0-7][0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])/g;

/**
 * What a report may refer to, in whatever form of Markdown: rather one that is only talked about than one too
 * few.
 */
function referencesIn(markdown: string): string[] {
  const references = [...new Set(markdown.match(reference))];
  if (references.length <= maxReferences) return references;
  throw new AppError(
    'invalid_request',
    `A report refers to at most ${maxReferences} charts and results, not ${references.length}: split it.`,
  );
}

/** Something that a report may refer to. */
export interface ReportSource {
  /** As a report writes it: `chart:cht_…` or `result:res_…`. */
  name: string;
  /**
   * Copies it to objects below a key; answers their size in bytes, or undefined where it was removed
   * meanwhile.
   */
  copy(key: string): Promise<number | undefined>;
}

/**
 * Those of a project that exist, of the names asked for. Conversations make them, and stand above reports.
 */
export type ReportSources = (
  db: OrganizationTransaction,
  project: { organizationId: string; projectId: string },
  names: readonly string[],
) => Promise<ReportSource[]>;

export type ReportDeps = StoreDeps & { reportSources: ReportSources };

export interface KeptAssets {
  assets: ReportAssets;
  /** What this write stored anew lies below; whatever names it takes it off the list of objects to remove. */
  prefix: string | undefined;
}

/**
 * Copies what a report refers to, charts and results of the project's conversations, to a place of the
 * report's own, so that it outlives them. What is not there is not kept. Objects are put down for removal
 * before they exist, and each try has keys of its own: a crash leaves nothing behind, and takes nothing away
 * from another try.
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
        'The charts and results that the report refers to are larger than 32 MiB together: refer to fewer.',
      );
  }
  return { assets, prefix };
}

function missing(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined;
  throw error;
}
