import { stem } from './words.ts';

/** The words of the grammar, as tables. */
const words = (list: string): string[] => list.trim().split(/\s+/);

export type Aggregate = 'count' | 'distinct' | 'sum' | 'avg' | 'min' | 'max' | 'median';

const aggregates: Readonly<Record<Exclude<Aggregate, 'count' | 'distinct'>, readonly string[]>> = {
  sum: words('total totals sum sums overall'),
  avg: words('average averages avg mean'),
  min: words('minimum min lowest smallest cheapest earliest coldest shortest slowest lightest'),
  max: words(
    'maximum max highest largest biggest greatest peak latest hottest warmest longest fastest heaviest',
  ),
  median: words('median'),
};

export const aggregateOf: ReadonlyMap<string, Aggregate> = new Map(
  Object.entries(aggregates).flatMap(([name, list]) =>
    list.map((word) => [word, name as Aggregate] as const),
  ),
);

export type Period = 'day' | 'week' | 'month' | 'quarter' | 'year';

export const periodOf: ReadonlyMap<string, Period> = new Map<string, Period>([
  ...(['day', 'week', 'month', 'quarter', 'year'] as const).flatMap((period): [string, Period][] => [
    [period, period],
    [`${period}s`, period],
    [`${period}ly`, period],
  ]),
  ['daily', 'day'],
  ['annual', 'year'],
  ['annually', 'year'],
]);

export type ChartKind = 'bar' | 'line' | 'area' | 'scatter' | 'pie';

export const chartOf: ReadonlyMap<string, ChartKind> = new Map<string, ChartKind>([
  ...words('bar bars column histogram').map((word): [string, ChartKind] => [word, 'bar']),
  ['line', 'line'],
  ['lines', 'line'],
  ['area', 'area'],
  ['scatter', 'scatter'],
  ['scatterplot', 'scatter'],
  ['pie', 'pie'],
  ['donut', 'pie'],
]);
export const chartWords = new Set(
  words('chart charts plot plots graph graphs diagram diagrams visualize visualise visualization'),
);

export const monthOf: ReadonlyMap<string, number> = new Map(
  words('january february march april may june july august september october november december').flatMap(
    (name, index): [string, number][] => [
      [name, index + 1],
      [name.slice(0, 3), index + 1],
    ],
  ),
);

/** Dates relative to today, which the analyst refuses because it has no clock. */
export const relativeWords = new Set(words('today yesterday tomorrow currently ago'));
export const relativeOpeners = new Set(words('last past previous this next current'));

export const negations = new Set(
  words('not non never excluding exclude excluded except without excludes minus ignoring'),
);
export const openers = new Set(
  words('and also only just now what how but then same instead as or exclude excluding without for by per'),
);
export const listWords = new Set(words('show list give display find get see print return fetch'));
export const whichWords = new Set(words('which what'));
export const shareWords = new Set(
  words('share shares percentage percentages percent proportion proportions fraction ratio'),
);
export const distinctWords = new Set(words('distinct different unique'));
export const descending = new Set(words('top best descending desc decreasing most'));
export const ascending = new Set(words('bottom worst ascending asc increasing least fewest'));

/** Adjectives that imply an order by a column: the words of the column, and the direction. */
export const superlatives: ReadonlyMap<string, { column: string; direction: 'asc' | 'desc' }> = new Map([
  ['expensive', { column: 'price', direction: 'desc' }],
  ['priciest', { column: 'price', direction: 'desc' }],
  ['cheapest', { column: 'price', direction: 'asc' }],
  ['newest', { column: 'when', direction: 'desc' }],
  ['latest', { column: 'when', direction: 'desc' }],
  ['recent', { column: 'when', direction: 'desc' }],
  ['oldest', { column: 'when', direction: 'asc' }],
  ['earliest', { column: 'when', direction: 'asc' }],
]);

/**
 * What adjectives are said of, as words of columns, best first: "the longest flight" is that of the greatest
 * distance, "15 minutes late" is said of a delay.
 */
const qualityLists: Readonly<Record<string, string>> = {
  'longest shortest long short': 'length distance duration time minutes hours days',
  'late delayed': 'delay lateness',
  'highest lowest high low tall tallest': 'height elevation altitude alt',
  'largest biggest smallest large big small': 'size area population capacity seats amount total',
  'heaviest lightest heavy light': 'weight mass',
  'fastest slowest fast slow': 'speed velocity pace',
  'hottest warmest coldest hot warm cold': 'temperature temp',
  'farthest furthest far': 'distance',
  'cheapest expensive': 'price cost',
  'oldest youngest old young': 'age',
};

export const qualityOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(qualityLists).flatMap(([said, columns]) =>
    words(said).map((word) => [word, words(columns).map(stem)] as const),
  ),
);
/** What is worse the more there is of it. */
export const badWords = new Set(
  words('delay delays cost costs error errors fault faults loss losses complaint complaints defects').map(
    stem,
  ),
);
export const busyWords: ReadonlyMap<string, 'asc' | 'desc'> = new Map([
  ['busiest', 'desc'],
  ['quietest', 'asc'],
]);

/**
 * Verbs that only join a subject with what is said of it ("left from JFK", "did United operate"), if no name
 * has their word. The answer says that they were left out.
 */
export const neutralVerbs = new Set(
  words(`
    leave leaves left leaving depart departs departed departing go goes went going fly flies flew flown flying
    operate operates operated arrive arrives arrived land lands landed travel travels travelled traveled use
    uses used run runs ran serve serves served provide provides provided supply supplies supplied offer offers
    offered buy buys bought purchase purchases purchased live lives lived work works worked belong belongs
    occur occurs occurred take takes took taken ship ships shipped deliver delivers delivered visit visits
    visited carry carries carried own owns owned hold holds held send sends sent receive receives received
    play plays played handle handles handled produce produces produced write writes wrote written
  `),
);

/** What a word may stand for if no column has its name, best first. All are numeric columns. */
const synonymLists: Readonly<Record<string, string>> = {
  revenue: 'revenue sales turnover total amount value',
  sales: 'sales revenue turnover total amount value',
  turnover: 'turnover revenue sales total amount value',
  income: 'income revenue sales total amount value',
  spend: 'spend spending cost costs expense total amount value',
  spending: 'spending spend cost costs expense total amount value',
  amount: 'amount total value sum revenue sales',
  value: 'value amount total',
  cost: 'cost costs expense',
  price: 'price cost',
  quantity: 'quantity qty units pieces items',
  units: 'units quantity qty pieces',
  pieces: 'pieces quantity qty units',
  items: 'items quantity qty units',
  sold: 'quantity qty units',
  rain: 'rain rainfall precipitation',
  rainfall: 'rainfall rain precipitation',
  precipitation: 'precipitation rainfall rain',
  temp: 'temperature temp',
  duration: 'duration minutes hours seconds days',
};

export const synonyms: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(synonymLists).map(([word, targets]) => [stem(word), words(targets).map(stem)]),
);

/** Words of columns whose values can be summed: these are totalled if no aggregate is named. */
export const additiveWords = new Set(
  words(
    'revenue sales turnover total amount value income spend spending cost costs expense quantity qty units pieces items rain rainfall precipitation sold',
  ).map(stem),
);

/** Words without a meaning of their own here. */
export const stopWords = new Set(
  words(`
    a an the of in on at to from with for is are was were be been being am do does did done has have had having
    it its they them their there these those this that i me my we us our you your he she his her one ones
    please thanks thank can could would will shall should may might must let tell know want need like
    and or but so also too then than as if when where who whose whom which what how much many
    all any every each some only just now again instead same
    data dataset table tables row rows record records entry entries number numbers value values figure figures
    column columns field fields result results answer question overview grouped group groups split broken
    down breakdown across over within into per by about out up exist exists existing
    calculate compute make create draw give show list get find display see print return
    got get gets go goes happen happened place placed made make sell earn earned total called named report
    case cases way time draw use using based according respectively sort sorted during while
    hi hello hey ok okay yes right exactly roughly currently come comes came say yet ever anything anyone
  `),
);

/** Words that change a question and are not read: neither typos (“yearly”) nor to be left out. */
export const unreadWords = new Set(['early']);

/** Words that may be ignored, if the answer says so. */
export const harmless = new Set(
  words(`
    interesting important nice good quick quickly simple simply really very actually maybe perhaps probably
    approximately basically clearly kindly brief briefly short detailed detail details precise possible
    company business shop website system database project team boss manager customerwise
  `),
);
