export interface AdmissionLimits {
  /** Of a worker. */
  atOnce: number;
  /** Of one organization there. */
  ofOrganization: number;
}

/** Lets so much work in at once; what finds no place is answered otherwise, at once: nothing waits here. */
export function createAdmission({ atOnce, ofOrganization }: AdmissionLimits) {
  const underWay = new Map<string, number>();
  let total = 0;
  return async <T>(organizationId: string, work: () => Promise<T>, otherwise: () => T): Promise<T> => {
    const own = underWay.get(organizationId) ?? 0;
    if (own >= ofOrganization || total >= atOnce) return otherwise();
    underWay.set(organizationId, own + 1);
    total += 1;
    try {
      return await work();
    } finally {
      total -= 1;
      const left = underWay.get(organizationId)! - 1;
      if (left === 0) underWay.delete(organizationId);
      else underWay.set(organizationId, left);
    }
  };
}
