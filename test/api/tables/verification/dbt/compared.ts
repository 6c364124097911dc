/** Files of vega_datasets, each with a column that tells its rows apart or nearly so. */
export const datasets = [
  { name: 'airports', path: 'airports.csv', key: 'iata' },
  { name: 'deaths', path: 'la-riots.csv', key: 'first_name' },
  { name: 'cars', path: 'cars.json', key: 'Name' },
] as const;

export type Dataset = (typeof datasets)[number];

/** A test that both have. */
export interface Compared {
  name: string;
  dataset: Dataset['name'];
  kind: 'not_null' | 'unique' | 'accepted_values' | 'relationship';
  column: string;
  values?: (string | number)[];
  to?: { dataset: Dataset['name']; column: string };
}

type Unnamed = Omit<Compared, 'name'>;

const not = (dataset: Dataset['name'], kind: 'not_null' | 'unique', columns: string[]): Unnamed[] =>
  columns.map((column) => ({ dataset, kind, column }));

/** Columns with and without what fails. */
const tests: Unnamed[] = [
  ...not('airports', 'not_null', ['iata', 'state']),
  ...not('airports', 'unique', ['iata', 'name', 'city', 'latitude']),
  { dataset: 'airports', kind: 'accepted_values', column: 'country', values: ['USA'] },
  {
    dataset: 'airports',
    kind: 'accepted_values',
    column: 'country',
    values: ['USA', 'Thailand', 'Palau', 'N Mariana Islands', 'Federated States of Micronesia'],
  },
  { dataset: 'airports', kind: 'accepted_values', column: 'state', values: ['AK', 'TX', 'CA'] },
  {
    dataset: 'airports',
    kind: 'relationship',
    column: 'name',
    to: { dataset: 'airports', column: 'city' },
  },
  {
    dataset: 'airports',
    kind: 'relationship',
    column: 'iata',
    to: { dataset: 'airports', column: 'iata' },
  },
  ...not('deaths', 'not_null', ['age', 'gender']),
  ...not('deaths', 'unique', ['first_name', 'last_name', 'age', 'death_date']),
  { dataset: 'deaths', kind: 'accepted_values', column: 'age', values: [15, 18, 20] },
  { dataset: 'deaths', kind: 'accepted_values', column: 'gender', values: ['Male', 'Female'] },
  {
    dataset: 'deaths',
    kind: 'accepted_values',
    column: 'death_date',
    values: ['1992-04-30', '1992-05-01'],
  },
  {
    dataset: 'deaths',
    kind: 'relationship',
    column: 'neighborhood',
    to: { dataset: 'airports', column: 'city' },
  },
  {
    dataset: 'deaths',
    kind: 'relationship',
    column: 'age',
    to: { dataset: 'cars', column: 'Acceleration' },
  },
  ...not('cars', 'not_null', ['Miles_per_Gallon', 'Horsepower', 'Origin']),
  ...not('cars', 'unique', ['Name', 'Horsepower', 'Origin']),
  { dataset: 'cars', kind: 'accepted_values', column: 'Origin', values: ['USA', 'Europe'] },
  { dataset: 'cars', kind: 'accepted_values', column: 'Cylinders', values: [4, 6, 8] },
  { dataset: 'cars', kind: 'accepted_values', column: 'Miles_per_Gallon', values: [18, 15.5] },
  {
    dataset: 'cars',
    kind: 'relationship',
    column: 'Horsepower',
    to: { dataset: 'deaths', column: 'age' },
  },
];

export const compared: Compared[] = tests.map((test, index) => ({
  ...test,
  name: `t${index}_${test.kind}_${test.dataset}_${test.column.toLowerCase()}`,
}));
