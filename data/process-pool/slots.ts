import { guaranteedAtOnce } from './admission.ts';

/** What a pool needs of one of its processes. */
export interface PoolProcess {
  readonly pid: number | undefined;
  /** Resolves when it can work; rejects if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves once the process is gone; it is never chosen again. */
  readonly exited: Promise<void>;
  /** Resolves once everything it left has been cleaned up. */
  readonly ended: Promise<void>;
  kill(): void;
}

/** A place in the pool: a process, and the organization it last worked for. */
export interface Slot<P extends PoolProcess> {
  process: P;
  /** Undefined while blank. */
  organizationId: string | undefined;
  isBusy: boolean;
  idleSince: number;
}

export interface SlotSettings<P extends PoolProcess> {
  processes: number;
  /** Whether one process starts before any work comes, so that the first has not to wait for it. */
  startsEarly?: boolean | undefined;
  start: () => P;
  /** Called when a slot has become free or vanished. */
  onChange: () => void;
}

export interface Slots<P extends PoolProcess> {
  all(): readonly Slot<P>[];
  /** Whether a process can work, or the last one that started could. Starts one if there is none. */
  isAble(): boolean;
  /** A slot for this organization, marked as busy, or undefined if none is available. */
  take(organizationId: string, runningOfOrganization: number): Slot<P> | undefined;
  release(slot: Slot<P>): void;
  retire(slot: Slot<P>): void;
  /** Ends every process and waits until each is gone. */
  close(): Promise<void>;
}

/** Idle processes beyond the configured number are ended after this time. */
const extraIdleMs = 30_000;

/**
 * Chooses the most useful process: one that worked for the organization, a blank one, a new one, and last the
 * one that has been idle longest. Up to twice the configured number are started if an organization would
 * otherwise not get its guaranteed two.
 */
export function createSlots<P extends PoolProcess>(settings: SlotSettings<P>): Slots<P> {
  const slots = new Set<Slot<P>>();
  /** Includes retired slots, whose processes take a moment to end. */
  const living = new Set<Slot<P>>();
  const able = new WeakSet<Slot<P>>();
  let wasAble = false;

  function add(): Slot<P> {
    const slot: Slot<P> = {
      process: settings.start(),
      organizationId: undefined,
      isBusy: false,
      idleSince: performance.now(),
    };
    slots.add(slot);
    living.add(slot);
    void slot.process.exited.then(() => {
      if (slots.delete(slot)) settings.onChange();
    });
    void slot.process.ended.then(() => living.delete(slot));
    void slot.process.ready.then(
      () => {
        able.add(slot);
        wasAble = true;
      },
      () => {
        wasAble = false;
      },
    );
    return slot;
  }

  function retire(slot: Slot<P>): void {
    slots.delete(slot);
    slot.process.kill();
  }

  function choose(organizationId: string, running: number): Slot<P> | undefined {
    const idle = [...slots].filter((slot) => !slot.isBusy);
    const warm = idle.find((slot) => slot.organizationId === organizationId);
    const blank = idle.find((slot) => slot.organizationId === undefined);
    if (warm !== undefined || blank !== undefined) return warm ?? blank;
    if (slots.size < settings.processes) return add();
    const [oldest] = idle.sort((left, right) => left.idleSince - right.idleSince);
    if (oldest !== undefined) return oldest;
    const isGuaranteed = running < guaranteedAtOnce && slots.size < settings.processes * 2;
    return isGuaranteed ? add() : undefined;
  }

  function retireExtra(): void {
    const isLong = (slot: Slot<P>) => !slot.isBusy && performance.now() - slot.idleSince >= extraIdleMs;
    for (const slot of [...slots].filter(isLong)) {
      if (slots.size > settings.processes) retire(slot);
    }
  }

  if (settings.startsEarly !== false) add();
  return {
    all: () => [...slots],
    isAble: () => {
      if (slots.size === 0) add();
      return wasAble || [...slots].some((slot) => able.has(slot));
    },
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
