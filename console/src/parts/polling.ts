import { WorkspaceError } from '../../../clients/typescript/src/index.ts';

/** For so long an answer is not asked for again by another part of a page. */
export const freshMs = 5_000;

interface Asked<Data> {
  state: { data: Data | undefined; error: Error | null };
}

/** Asks again as long as something is under way; not after a refusal, which would only be repeated. */
export const asLongAs =
  <Data>(isUnderWay: (data: Data) => boolean, everyMs: number) =>
  ({ state: { data, error } }: Asked<Data>): number | false => {
    if (error instanceof WorkspaceError && error.status < 500 && error.status !== 429) return false;
    return data === undefined || isUnderWay(data) ? everyMs : false;
  };
