import type { components } from '../../../../clients/typescript/src/index.ts';
import { type CadenceForm, cadenceBody, cadenceForm, newCadence } from '../../cadences/cadence.ts';
import type * as texts from '../../texts/index.ts';

export type Dataset = components['schemas']['Dataset'];
export type Resource = components['schemas']['SourceResource'];
export type ConnectionKind = components['schemas']['DataConnection']['type'];
export type Repeats = keyof typeof texts.connections.dataset.repeats;

/** How a dataset is copied, as it is edited. */
export interface Settings {
  name: string;
  isEnabled: boolean;
  mode: Dataset['mode'];
  cursor: string;
  keys: readonly string[];
  /** In percent; empty for no guard. */
  mayLose: string;
  projectId: string;
  repeats: Repeats;
  minutes: string;
  cadence: CadenceForm;
  /** Of an interval that is stored: what its form does not show. */
  kept: { zone_id?: string; time_of_day?: string | null; anchor_date?: string | null };
}

/** Connections whose datasets may be incremental: the others are copied whole, or as their policy says. */
export const isIncrementable = (type: ConnectionKind): boolean => type === 'postgres' || type === 'mysql';

export const newSettings = (
  { name, keyColumns }: Resource,
  type: ConnectionKind,
  projectId: string | undefined,
): Settings => ({
  ...{ name, isEnabled: true, mode: 'full', cursor: '' },
  keys: isIncrementable(type) ? keyColumns : [],
  ...{ mayLose: '', projectId: projectId ?? '', repeats: 'never', minutes: '60' },
  cadence: newCadence(),
  kept: {},
});

export function settingsOf(dataset: Dataset): Settings {
  const { name, snapshotEnabled, mode, cursor, keyColumns, guard, projectId, schedule } = dataset;
  const isByClock = schedule !== null && schedule.type !== 'interval';
  return {
    ...{ name, isEnabled: snapshotEnabled, mode },
    cursor: cursor ?? '',
    keys: keyColumns,
    mayLose: guard === null ? '' : String(exact(guard.maxShrinkRatio * 100)),
    projectId: projectId ?? '',
    repeats: schedule === null ? 'never' : isByClock ? 'clock' : 'minutes',
    minutes: String(schedule?.everyMinutes ?? 60),
    cadence: isByClock ? cadenceForm(schedule) : newCadence(),
    kept:
      schedule === null || isByClock
        ? {}
        : {
            zone_id: schedule.zoneId,
            time_of_day: schedule.timeOfDay,
            anchor_date: schedule.anchorDate,
          },
  };
}

/** The same as it is sent. */
export const bodyOf = (settings: Settings) => ({
  name: settings.name,
  snapshot_enabled: settings.isEnabled,
  mode: settings.mode,
  cursor: settings.cursor === '' ? null : settings.cursor,
  key_columns: [...settings.keys],
  guard: settings.mayLose === '' ? null : { max_shrink_ratio: exact(Number(settings.mayLose) / 100) },
  project_id: settings.projectId === '' ? null : settings.projectId,
  schedule: scheduleOf(settings),
});

export type DatasetBody = ReturnType<typeof bodyOf>;

function scheduleOf({ repeats, minutes, cadence, kept }: Settings) {
  if (repeats === 'never') return null;
  if (repeats === 'clock') return cadenceBody(cadence);
  return { ...kept, type: 'interval' as const, every_minutes: Number(minutes) };
}

/** Without what binary fractions add: 7 for 0.07 * 100. */
const exact = (number: number): number => Number(number.toPrecision(12));
