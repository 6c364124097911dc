/** What a page of large rows shows together: it ends early where there is more. */
const pageBytes = 2_000_000;

/** How many rows of such sizes, from the first on, make a page: one at least. */
export function countFitting(sizes: readonly number[]): number {
  let left = pageBytes;
  const first = sizes.findIndex((bytes, index) => {
    left -= bytes;
    return left < 0 && index > 0;
  });
  return first < 0 ? sizes.length : first;
}
