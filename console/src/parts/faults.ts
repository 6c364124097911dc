import { type Fault, WorkspaceError } from '../../../clients/typescript/src/index.ts';

/** A place in a body, without the body: `['schedule', 'time_of_day']`. */
export type Place = readonly (string | number)[];

const isAt = ({ loc }: Fault, place: Place): boolean =>
  loc[0] === 'body' && place.every((part, at) => String(loc[at + 1]) === String(part));

/** What the service said of a field; undefined where it said nothing. */
export function faultAt(error: Error | null, ...place: Place): string | undefined {
  if (!(error instanceof WorkspaceError)) return undefined;
  const messages = error.faults.filter((fault) => isAt(fault, place)).map(({ msg }) => msg);
  return messages.length === 0 ? undefined : messages.join(' ');
}

/** An error that the fields at these places do not show whole. */
export function unplaced(error: Error | null, places: readonly Place[]): Error | null {
  if (!(error instanceof WorkspaceError) || error.faults.length === 0) return error;
  return error.faults.every((fault) => places.some((place) => isAt(fault, place))) ? null : error;
}
