/** Total size limit of a page of large rows; a page that would exceed it ends early. */
const pageBytes = 2_000_000;

/** How many rows of these sizes, from the first on, make a page; at least one. */
export function countFitting(sizes: readonly number[]): number {
  let left = pageBytes;
  const first = sizes.findIndex((bytes, index) => {
    left -= bytes;
    return left < 0 && index > 0;
  });
  return first < 0 ? sizes.length : first;
}
