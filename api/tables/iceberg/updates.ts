import { AppError } from '../../../data/errors.ts';
import { isRawNumber } from '../../../data/exact-json.ts';
import type { EngineSchema } from '../../../domain/tables/iceberg/create.ts';
import type { EngineSnapshot } from '../../../domain/tables/iceberg/read-changes.ts';
import { engineSchema, type Requirement, tableProperties, type Update } from './write-schemas.ts';

/** A table's metadata, as far as a commit is compared with it. */
export interface KnownMetadata {
  'table-uuid': string;
  location: string;
  'last-column-id': number;
  'current-schema-id': number;
  'last-partition-id': number;
  'default-spec-id': number;
  'default-sort-order-id': number;
  'current-snapshot-id': number;
  schemas: { 'schema-id': number; fields: { name: string }[] }[];
}

/**
 * Checks what the engine knows of the table.
 *
 * @throws AppError conflict where it has changed since, invalid_request for an unknown requirement
 */
export function checkRequirements(requirements: readonly Requirement[], metadata: KnownMetadata): void {
  for (const requirement of requirements) {
    const [name, wanted, found] = comparedBy(requirement, metadata);
    if (!same(wanted, found))
      throw new AppError(
        'conflict',
        `Requirement failed: ${name} is ${text(found)}, and the commit expects ${text(wanted)}. Load the table again.`,
      );
  }
}

function comparedBy(
  requirement: Requirement,
  metadata: KnownMetadata,
): [name: string, wanted: unknown, found: unknown] {
  switch (requirement.type) {
    case 'assert-table-uuid':
      return ['the UUID of the table', requirement['uuid'], metadata['table-uuid']];
    case 'assert-ref-snapshot-id': {
      const isMain = requirement['ref'] === 'main';
      const found = isMain && metadata['current-snapshot-id'] !== -1 ? metadata['current-snapshot-id'] : null;
      return [`the snapshot of ${text(requirement['ref'])}`, requirement['snapshot-id'] ?? null, found];
    }
    case 'assert-last-assigned-field-id':
      return ['the last field id', requirement['last-assigned-field-id'], metadata['last-column-id']];
    case 'assert-current-schema-id':
      return ['the current schema', requirement['current-schema-id'], metadata['current-schema-id']];
    case 'assert-last-assigned-partition-id':
      return [
        'the last partition id',
        requirement['last-assigned-partition-id'],
        metadata['last-partition-id'],
      ];
    case 'assert-default-spec-id':
      return ['the partition spec', requirement['default-spec-id'], metadata['default-spec-id']];
    case 'assert-default-sort-order-id':
      return ['the sort order', requirement['default-sort-order-id'], metadata['default-sort-order-id']];
    case 'assert-create':
      throw new AppError('name_taken', 'The table already exists.');
    default:
      throw new AppError('invalid_request', `The requirement ${requirement.type} isn't known.`);
  }
}

const text = (value: unknown): string => (isRawNumber(value) ? value.rawJSON : String(value));
const same = (a: unknown, b: unknown): boolean => text(a) === text(b);

/** What a commit changes. */
export interface TableUpdate {
  snapshots: EngineSnapshot[];
  set: Record<string, string>;
  remove: string[];
  /** Of a table that is created. */
  schema: EngineSchema | undefined;
  location: string | undefined;
}

/** Updates that this catalog takes only where they change nothing. */
const onlyWithoutFields = new Set(['add-spec', 'add-partition-spec', 'add-sort-order']);
const ignored = new Set([
  'assign-uuid',
  'set-current-schema',
  'set-default-spec',
  'set-default-sort-order',
  'upgrade-format-version',
]);

/**
 * Reads the updates of a commit.
 *
 * @param isNew whether the commit creates the table
 * @throws AppError unsupported_option for what this catalog can't do, invalid_request
 */
export function readUpdates(updates: readonly Update[], isNew: boolean): TableUpdate {
  const read: TableUpdate = { snapshots: [], set: {}, remove: [], schema: undefined, location: undefined };
  let main: string | undefined;
  for (const update of updates) {
    const { action } = update;
    if (ignored.has(action)) {
      if (action === 'upgrade-format-version' && Number(update['format-version']) > 2)
        throw unsupported('Tables of format version 3 are not supported. Use version 2.');
      continue;
    }
    if (onlyWithoutFields.has(action)) {
      const { fields = [] } = (update['spec'] ?? update['sort-order'] ?? {}) as { fields?: unknown[] };
      if (fields.length > 0) throw unsupported("This catalog doesn't partition or sort tables.");
      continue;
    }
    switch (action) {
      case 'add-schema':
        read.schema = parsed(engineSchema, update['schema'], 'schema');
        break;
      case 'set-location':
        read.location = String(update['location']);
        break;
      case 'set-properties':
        Object.assign(read.set, parsed(tableProperties, update['updates'] ?? update['updated'], 'updates'));
        break;
      case 'remove-properties':
        read.remove.push(...((update['removals'] ?? update['removed'] ?? []) as string[]).map(String));
        break;
      case 'add-snapshot':
        read.snapshots.push(snapshotOf(update['snapshot']));
        break;
      case 'set-snapshot-ref':
        if (update['ref-name'] !== 'main') throw unsupported('Branches and tags are not supported.');
        main = text(update['snapshot-id']);
        break;
      default:
        throw unsupported(`The update ${action} is not supported.`);
    }
  }
  if (!isNew && read.schema !== undefined)
    throw unsupported("Change the columns of a table with this service's API, not with an engine.");
  const last = read.snapshots.at(-1);
  if (main !== undefined && main !== String(last?.id))
    throw unsupported(
      'A table can be set to the snapshot of its own commit only. To go back, write the old rows.',
    );
  return read;
}

function snapshotOf(value: unknown): EngineSnapshot {
  const { 'snapshot-id': id, 'manifest-list': manifestList } = (value ?? {}) as Record<string, unknown>;
  if (!/^\d{1,19}$/.test(text(id)) || typeof manifestList !== 'string')
    throw new AppError('invalid_request', 'A snapshot needs a snapshot-id and a manifest-list.');
  return { id: BigInt(text(id)), manifestList };
}

function parsed<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  value: unknown,
  name: string,
): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new AppError('invalid_request', `${name} isn't valid.`);
  return result.data;
}

const unsupported = (message: string) => new AppError('unsupported_option', message);
