const maxExact = 2n ** 53n;

/** An `s_id` as answers have it: a number where that is exact, as in rows. */
export function shownRowId(id: bigint): number | string {
  return -maxExact <= id && id <= maxExact ? Number(id) : String(id);
}
