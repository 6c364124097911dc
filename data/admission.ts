export interface AdmissionLimits {
  /** For one owner, such as an organization or a client. */
  ofOwner: number;
  /** For all owners together; unlimited when omitted. */
  inAll?: number;
}

/** Limits how many operations run concurrently in this process. Nothing is queued. */
export interface Admission {
  /** Returns the function that releases the place, to be called once; undefined if no place is free. */
  enter(owner: string): (() => void) | undefined;
  /** Runs the work in one of its owner's places, or returns `otherwise()` if none is free. */
  run<T>(owner: string, work: () => Promise<T>, otherwise: () => T): Promise<T>;
}

export function createAdmission({ ofOwner, inAll = Number.POSITIVE_INFINITY }: AdmissionLimits): Admission {
  const underWay = new Map<string, number>();
  let total = 0;

  function enter(owner: string): (() => void) | undefined {
    const own = underWay.get(owner) ?? 0;
    if (own >= ofOwner || total >= inAll) return undefined;
    underWay.set(owner, own + 1);
    total += 1;
    return () => {
      total -= 1;
      const left = underWay.get(owner)! - 1;
      if (left === 0) underWay.delete(owner);
      else underWay.set(owner, left);
    };
  }

  return {
    enter,
    async run(owner, work, otherwise) {
      const leave = enter(owner);
      if (leave === undefined) return otherwise();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
