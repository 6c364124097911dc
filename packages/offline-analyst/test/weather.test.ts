import { answers, type Case } from './cases.ts';
import { weather } from './data-sets.ts';

const both = 'measurements m JOIN stations s ON m.station_id = s.id';
const cases: readonly Case[] = [
  ['how many stations', [[6]]],
  ['how many measurements are there?', [[900]]],
  ['how many active stations', [[5]]],
  ['stations that are not active', [[4, 'Dresden', 'north', 220, false]]],
  ['how many stations in the south', [[3]]],
  [
    'average temperature by station',
    `SELECT station_name, avg(temperature) FROM ${both} GROUP BY 1 ORDER BY 2 DESC`,
  ],
  [
    'average temperature by region',
    `SELECT region, avg(temperature) FROM ${both} GROUP BY 1 ORDER BY 2 DESC`,
  ],
  ['which station had the highest temperature?', [['Bremen', 29.9]]],
  ['which station had the lowest average temperature', [['Aalen', 10.7]]],
  [
    'average windspeed per month',
    `SELECT date_trunc('month', measured_at)::DATE, avg("windSpeed") FROM measurements GROUP BY 1 ORDER BY 1`,
  ],
  [
    'avg wind speed by month in 2025',
    `SELECT date_trunc('month', measured_at)::DATE, avg("windSpeed") FROM measurements GROUP BY 1 ORDER BY 1`,
  ],
  [
    'total rain by station in February 2025',
    `SELECT station_name, sum(rainfall_mm) FROM ${both} WHERE month(measured_at) = 2 GROUP BY 1 ORDER BY 2 DESC`,
  ],
  [
    'rainfall by week',
    `SELECT date_trunc('week', measured_at)::DATE, sum(rainfall_mm) FROM measurements GROUP BY 1 ORDER BY 1`,
  ],
  ['total precipitation', 'SELECT sum(rainfall_mm) FROM measurements'],
  ['how many measurements without humidity', [[82]]],
  ['how many measurements with humidity', [[818]]],
  ['how many measurements with temperature below 0', [[192]]],
  [
    'how many measurements where temperature is below -5',
    'SELECT count(*) FROM measurements WHERE temperature < -5',
  ],
  ['max temperature on 2025-02-14', [[-0.3]]],
  [
    'max temperature at Bremen on 2025-02-14',
    `SELECT max(temperature) FROM ${both} WHERE station_name = 'Bremen' AND measured_at::DATE = '2025-02-14'`,
  ],
  [
    'median humidity by region in January 2025',
    [
      ['south', 64.5],
      ['north', 64],
    ],
  ],
  [
    'average temperature and humidity by region',
    `SELECT region, avg(temperature), avg(humidity) FROM ${both} GROUP BY 1 ORDER BY 2 DESC`,
  ],
  [
    'min, max and average temperature for Celle',
    `SELECT min(temperature), max(temperature), avg(temperature) FROM ${both} WHERE station_name = 'Celle'`,
  ],
  [
    'temperature by month',
    `SELECT date_trunc('month', measured_at)::DATE, avg(temperature) FROM measurements GROUP BY 1 ORDER BY 1`,
  ],
  ['highest stations by elevation', 'SELECT * FROM stations ORDER BY elevation_m DESC'],
  ['average elevation of active stations', 'SELECT avg(elevation_m) FROM stations WHERE is_active'],
  ['stations with elevation over 200', 'SELECT * FROM stations WHERE elevation_m > 200 ORDER BY id'],
  [
    'share of measurements by region',
    [
      ['north', 450, 50],
      ['south', 450, 50],
    ],
  ],
  [
    'what percentage of measurements with temperature above 20',
    'SELECT count(*) FILTER (temperature > 20), count(*), round(100 * count(*) FILTER (temperature > 20) / count(*), 2) FROM measurements',
  ],
  ['number of measurements in Aalen, Bremen and Celle', [[450]]],
  [
    'average temperature except Aalen and Bremen',
    `SELECT avg(temperature) FROM ${both} WHERE station_name NOT IN ('Aalen', 'Bremen')`,
  ],
  [
    'average temperature by station → only in January 2025 → top 2',
    `SELECT station_name, avg(temperature) FROM ${both} WHERE measured_at < '2025-02-01' GROUP BY 1 ORDER BY 2 DESC LIMIT 2`,
  ],
  [
    'average temperature → and the maximum? → for Dresden',
    `SELECT max(temperature) FROM ${both} WHERE station_name = 'Dresden'`,
  ],
  [
    'average temperature by region → by month',
    `SELECT date_trunc('month', measured_at)::DATE, avg(temperature) FROM measurements GROUP BY 1 ORDER BY 1`,
  ],
  [
    'which day had the highest temperature',
    `SELECT measured_at::DATE, max(temperature) FROM measurements GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1`,
  ],
  [
    'latest measurement in Bremen',
    `SELECT m.* FROM ${both} WHERE station_name = 'Bremen' ORDER BY measured_at DESC LIMIT 1`,
  ],
  ['stations without measurements', []],
];

answers(weather, cases);
