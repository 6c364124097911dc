import { type Selectable, sql } from 'kysely';
import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import type { Slice } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { limits } from '../limits/limits.ts';
import { refuseBeyond } from '../limits/refuse.ts';
import type { Health } from './health.ts';

type AppRow = Selectable<DB['deployed_apps']>;
/** Identified by its slug. */
export type DeployedApp = AppRow & { id: string };

const identified = (row: AppRow): DeployedApp => ({ ...row, id: row.slug });

export const slugPattern = /^[a-z0-9-]{1,63}$/;

export async function findApp(
  db: OrganizationTransaction,
  organizationId: string,
  slug: string,
): Promise<DeployedApp | undefined> {
  if (!slugPattern.test(slug)) return undefined;
  const row = await db
    .selectFrom('deployed_apps')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('slug', '=', slug)
    .executeTakeFirst();
  return row && identified(row);
}

/** Also one that is not live. @throws AppError not_found */
export async function getApp(
  db: OrganizationTransaction,
  organizationId: string,
  slug: string,
): Promise<DeployedApp> {
  const app = await findApp(db, organizationId, slug);
  if (app === undefined) throw notFound('The app');
  return app;
}

/** By slug. */
export async function listLiveApps(
  db: OrganizationTransaction,
  organizationId: string,
  { after, limit }: Slice,
): Promise<DeployedApp[]> {
  let query = db
    .selectFrom('deployed_apps')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('is_live', '=', true);
  if (after !== undefined) query = query.where('slug', '>', after);
  return (await query.orderBy('slug').limit(limit).execute()).map(identified);
}

/** What its registration says of an app, and its first check. */
export type AppContent = Omit<AppRow, 'organization_id' | 'slug' | 'revision'>;

/**
 * Adds the app, or replaces the one with its slug.
 *
 * @throws AppError conflict if the organization has too many apps
 */
export async function putApp(
  db: OrganizationTransaction,
  organizationId: string,
  slug: string,
  content: AppContent,
): Promise<{ app: DeployedApp; isNew: boolean }> {
  // Of two that are added at the same time, the second one counts the first.
  await lockByName(db, `apps of ${organizationId}`);
  const isNew = (await findApp(db, organizationId, slug)) === undefined;
  if (isNew) await refuseTooMany(db, organizationId);
  const row = await db
    .insertInto('deployed_apps')
    .values({ organization_id: organizationId, slug, ...content })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'slug']).doUpdateSet({
        ...content,
        revision: sql`deployed_apps.revision + 1`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return { app: identified(row), isNew };
}

async function refuseTooMany(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const { apps } = await db
    .selectFrom('deployed_apps')
    .select((on) => on.fn.countAll<number>().as('apps'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.apps.apps, apps);
}

/** The app as it was. @throws AppError not_found */
export async function deleteApp(
  db: OrganizationTransaction,
  organizationId: string,
  slug: string,
): Promise<DeployedApp> {
  const row = await db
    .deleteFrom('deployed_apps')
    .where('organization_id', '=', organizationId)
    .where('slug', '=', slug)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw notFound('The app');
  return identified(row);
}

/** Apps whose next check is due by then, those that wait longest first. */
export async function listDueApps(
  db: OrganizationTransaction,
  organizationId: string,
  { by, limit }: { by: Date; limit: number },
): Promise<DeployedApp[]> {
  const rows = await db
    .selectFrom('deployed_apps')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('next_check_at', '<=', by)
    .orderBy('next_check_at')
    .limit(limit)
    .execute();
  return rows.map(identified);
}

export type CheckedApp = Pick<DeployedApp, 'slug' | 'revision'> & Health;

/** Records checks, except those of apps that changed or were checked meanwhile. */
export async function recordChecks(
  db: OrganizationTransaction,
  organizationId: string,
  checked: readonly CheckedApp[],
): Promise<void> {
  if (checked.length === 0) return;
  await sql`
    UPDATE deployed_apps a
    SET is_live = c.is_live, failed_checks = c.failed_checks, last_status = c.last_status,
        last_elapsed_ms = c.last_elapsed_ms, last_checked_at = c.last_checked_at,
        next_check_at = c.next_check_at, revision = a.revision + 1
    FROM jsonb_to_recordset(${JSON.stringify(checked)}::jsonb) AS c (
      slug text, revision integer, is_live boolean, failed_checks integer, last_status integer,
      last_elapsed_ms integer, last_checked_at timestamptz, next_check_at timestamptz)
    WHERE a.organization_id = ${organizationId} AND a.slug = c.slug AND a.revision = c.revision
  `.execute(db);
}

export interface AppTotals {
  apps: number;
  live: number;
  /** Null without apps. */
  nextCheckAt: Date | null;
}

export async function countApps(db: OrganizationTransaction, organizationId: string): Promise<AppTotals> {
  const { apps, live, next } = await db
    .selectFrom('deployed_apps')
    .select((on) => [
      on.fn.countAll<number>().as('apps'),
      on.fn.countAll<number>().filterWhere('is_live', '=', true).as('live'),
      on.fn.min('next_check_at').as('next'),
    ])
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  return { apps, live, nextCheckAt: next };
}
