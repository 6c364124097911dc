/** A value as answers show it: integers beyond 2^53 and decimals are strings. */
export type Shown = string | number | boolean;

/** From its first value including it up to `to` without it, which only the last bin holds. */
export interface Bin {
  from: Shown;
  to: Shown;
  count: number;
}

/** What a column holds, as stored and as answered. */
export interface ColumnProfile {
  name: string;
  /** Null until a first value decides it. */
  dataType: string | null;
  nulls: number;
  distinctApprox: number;
  min: Shown | null;
  max: Shown | null;
  mean: number | null;
  top: { value: Shown; count: number }[];
  histogram: Bin[];
}

/** Limits of what a profile shows. */
export const topValues = 10;
export const maxBins = 20;
export const maxTextCharacters = 200;
