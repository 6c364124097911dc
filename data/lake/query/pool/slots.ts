import { guaranteedStatements } from './admission.ts';
import type { QueryProcess } from './query-process.ts';

/** A place in the pool: a process and whose engine it has open. */
export interface Slot {
  process: QueryProcess;
  /** The organization whose lake its engine is attached to; undefined while blank. */
  organizationId: string | undefined;
  isBusy: boolean;
  idleSince: number;
}

export interface SlotSettings {
  processes: number;
  start: () => QueryProcess;
  /** Called when a slot became free or vanished. */
  onChange: () => void;
}

export interface Slots {
  all(): readonly Slot[];
  /** A slot for this organization, busy from now on, or undefined while there is none to be had. */
  take(organizationId: string, runningOfOrganization: number): Slot | undefined;
  release(slot: Slot): void;
  retire(slot: Slot): void;
  /** Ends every process and waits until each is gone. */
  close(): Promise<void>;
}

/** Idle processes beyond the configured number go after this. */
const extraIdleMs = 30_000;

/**
 * The processes, most useful first: one whose engine is open for the organization, a blank one, a new one, and
 * last the one that has been idle longest, whose engine is then replaced. Up to twice as many as configured
 * start where an organization would otherwise not get its guaranteed two.
 */
export function createSlots(settings: SlotSettings): Slots {
  const slots = new Set<Slot>();
  /** Retired ones included, which take a moment to go. */
  const living = new Set<Slot>();

  function add(): Slot {
    const slot: Slot = {
      process: settings.start(),
      organizationId: undefined,
      isBusy: false,
      idleSince: performance.now(),
    };
    slots.add(slot);
    living.add(slot);
    void slot.process.ended.then(() => {
      slots.delete(slot);
      living.delete(slot);
      settings.onChange();
    });
    return slot;
  }

  function retire(slot: Slot): void {
    slots.delete(slot);
    slot.process.kill();
  }

  function choose(organizationId: string, running: number): Slot | undefined {
    const idle = [...slots].filter((slot) => !slot.isBusy);
    const warm = idle.find((slot) => slot.organizationId === organizationId);
    const blank = idle.find((slot) => slot.organizationId === undefined);
    if (warm !== undefined || blank !== undefined) return warm ?? blank;
    if (slots.size < settings.processes) return add();
    const [oldest] = idle.sort((left, right) => left.idleSince - right.idleSince);
    if (oldest !== undefined) return oldest;
    const isGuaranteed = running < guaranteedStatements && slots.size < settings.processes * 2;
    return isGuaranteed ? add() : undefined;
  }

  function retireExtra(): void {
    const isLong = (slot: Slot) => !slot.isBusy && performance.now() - slot.idleSince >= extraIdleMs;
    for (const slot of [...slots].filter(isLong)) {
      if (slots.size > settings.processes) retire(slot);
    }
  }

  add();
  return {
    all: () => [...slots],
    take: (organizationId, running) => {
      retireExtra();
      const slot = choose(organizationId, running);
      if (slot !== undefined) {
        slot.isBusy = true;
        slot.organizationId = organizationId;
      }
      return slot;
    },
    release: (slot) => {
      slot.isBusy = false;
      slot.idleSince = performance.now();
      settings.onChange();
    },
    retire: (slot) => {
      retire(slot);
      settings.onChange();
    },
    close: async () => {
      const ending = [...living].map((slot) => slot.process.ended);
      for (const slot of [...slots]) retire(slot);
      await Promise.all(ending);
    },
  };
}
