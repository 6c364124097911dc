import { newestSnapshot } from '../../../data/lake/ducklake/snapshots.ts';
import { versionsAt } from '../../../data/lake/ledger.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { TurnInput } from '../../../workflows/analyst/conversation/contract.ts';
import { readsThrough, surroundings } from '../../tables/calculated-tables/freshness.ts';
import { type AttachedTable, attachedTables } from '../../tables/catalog-entries/catalog-entries.ts';
import { type ExpiryDeps, pinSnapshot } from '../../tables/lake-maintenance/expire.ts';
import { deleteLakePins } from '../../tables/lake-maintenance/pins.ts';
import { readableTables } from '../../tables/tables/registry.ts';
import { actAs } from '../../workspace/organizations/rights.ts';
import { appendEvents } from '../conversations/events.ts';
import { lockTurn } from '../conversations/lifecycle.ts';
import { countTurns, type DataVersion, updateMessage } from '../conversations/messages.ts';
import { actsForIn, turnPin, turnPinMs } from '../conversations/turns.ts';

export type TurnBeginning = 'begun' | 'ended' | TurnsFull;

/** The organization's limit of concurrent turns is reached, and so many wait, this one among them. */
export interface TurnsFull {
  limit: number;
  waiting: number;
}

export interface BeginDeps extends ExpiryDeps {
  /** Maximum number of concurrent turns of one organization, so that others do not wait for them. */
  turnsPerOrganization: number;
}

/**
 * Pins the versions that a turn reads: the current versions of the tables in its project's catalog, and
 * behind its views, that the asker may read, all at one snapshot. A second call finds the first pin.
 */
export async function beginTurn(deps: BeginDeps, turn: TurnInput): Promise<TurnBeginning> {
  const { organizationId } = turn;
  const found = await inOrganization(deps.db, organizationId, async (db): Promise<Found> => {
    const held = await lockTurn(db, turn);
    if (held === undefined) return 'ended';
    if (held.reply.started_at !== null) return 'begun';
    // Runs get half the limit, so that people in conversations do not wait behind unattended runs.
    const share = held.conversation.run_id === null ? 1 : 2;
    const limit = Math.max(1, Math.floor(deps.turnsPerOrganization / share));
    const { started: turns, waiting } = await countTurns(db, organizationId);
    if (turns >= limit) return { limit, waiting };
    await actAs(db, organizationId, await actsForIn(db, held));
    const attached = await attachedTables(db, organizationId, held.conversation.project_id);
    return { attached, tableIds: await tablesOf(db, organizationId, attached) };
  });
  if (typeof found === 'string' || !('attached' in found)) return found;
  const versions = found.attached.length === 0 ? [] : await pinned(deps, turn, found.tableIds);
  return started(deps.db, turn, versions);
}

type Found = TurnBeginning | { attached: readonly AttachedTable[]; tableIds: string[] };

/** The tables themselves, and those that the views among them read as far as the asker may read them too. */
async function tablesOf(
  db: OrganizationTransaction,
  organizationId: string,
  attached: readonly AttachedTable[],
): Promise<string[]> {
  const views = attached.filter(({ kind }) => kind === 'view').map(({ id }) => id);
  const own = attached.filter(({ kind }) => kind !== 'view').map(({ id }) => id);
  if (views.length === 0) return own;
  const around = await surroundings(db, organizationId, views, new Map());
  const behind = views.flatMap((id) => readsThrough(around, id).tables);
  return [...new Set([...own, ...(await readableTables(db, organizationId, behind))])];
}

async function pinned(
  deps: ExpiryDeps,
  { organizationId, messageId }: TurnInput,
  tableIds: readonly string[],
): Promise<DataVersion[]> {
  const lake = await deps.lake.catalog.get(organizationId);
  const snapshotId = await newestSnapshot(deps.lake.catalogPool, lake.schema);
  const expiresAt = new Date(Date.now() + turnPinMs);
  await pinSnapshot(deps, lake, organizationId, { snapshotId, holder: turnPin(messageId), expiresAt });
  const versions = await versionsAt(deps.lake.catalogPool, lake.schema, tableIds, snapshotId);
  return [...versions].map(([tableId, version]) => ({ tableId, version }));
}

async function started(db: Database, turn: TurnInput, versions: DataVersion[]): Promise<TurnBeginning> {
  const { organizationId, messageId } = turn;
  return inOrganization(db, organizationId, async (transaction) => {
    const held = await lockTurn(transaction, turn);
    if (held === undefined) {
      await deleteLakePins(transaction, organizationId, turnPin(messageId));
      return 'ended';
    }
    if (held.reply.started_at !== null) return 'begun';
    await updateMessage(transaction, organizationId, messageId, {
      started_at: new Date(),
      data_versions: JSON.stringify(versions),
      reads: [],
    });
    await appendEvents(transaction, held.conversation, [
      {
        event: 'turn.started',
        data: { messageId, userMessageId: held.reply.answers_id ?? '', dataVersions: versions },
      },
    ]);
    return 'begun';
  });
}
