export interface AdmissionLimits {
  /** Of one owner: an organization, a client. */
  ofOwner: number;
  /** Of all together; left out, as many as there are owners for. */
  inAll?: number;
}

/** Bounds how much of something is under way at once in this process. Nothing waits here. */
export interface Admission {
  /** What leaves the place again, once; undefined where there is no place. */
  enter(owner: string): (() => void) | undefined;
  /** The work in a place of its owner, or what is answered where there is none. */
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
