/** A stored cadence can no longer be read. Its message says why, and what to do. */
export class UnreadableCadence extends Error {
  override readonly name = 'UnreadableCadence';
}
