/** So close to the first and the last row, in pixels, every row has its own place on the scroll bar. */
const nearEnds = 10_000;

/** A place on a way of one length, on one of another: the same near both ends, and by its part between them. */
export function mapped(place: number, length: number, onto: number): number {
  const near = Math.min(nearEnds, length / 4, onto / 4);
  if (place <= near) return place;
  if (place >= length - near) return onto - (length - place);
  return near + ((place - near) * (onto - 2 * near)) / (length - 2 * near);
}
