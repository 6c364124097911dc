/** Sets of tables, computed deterministically. */
export interface DataSet {
  tables: readonly { name: string; description: string; sql: string }[];
}

export const shop: DataSet = {
  tables: [
    {
      name: 'customers',
      description: 'People who bought something',
      sql: `SELECT i AS customer_id, 'Customer ' || chr(CAST(65 + i % 26 AS INTEGER)) || i AS name,
        CASE WHEN i % 5 = 0 THEN NULL ELSE 'c' || i || '@example.org' END AS email,
        ['Germany', 'France', 'Austria', 'Switzerland'][1 + i % 4] AS country,
        ['Privatkunde', 'Geschäftskunde', 'Händler'][1 + i % 3] AS segment,
        DATE '2023-01-01' + CAST(i * 17 AS INTEGER) AS signed_up_on, i % 2 = 0 AS newsletter
        FROM range(1, 41) t(i)`,
    },
    {
      name: 'orders',
      description: '',
      sql: `SELECT i AS order_id, 1 + (i * 7) % 38 AS customer_id,
        DATE '2024-01-05' + CAST((i * 5) % 700 AS INTEGER) AS order_date,
        ['paid', 'shipped', 'cancelled', 'refunded', 'paid'][1 + i % 5] AS status,
        CAST(10 + (i * 37) % 400 + (i % 4) * 0.25 AS DECIMAL(10, 2)) AS amount,
        ['web', 'store', 'phone'][1 + i % 3] AS channel,
        CASE WHEN i % 4 = 0 THEN 'SAVE' || i % 7 END AS coupon_code, 'i' || i AS s_id
        FROM range(1, 301) t(i)`,
    },
    {
      name: 'products',
      description: 'What is sold',
      sql: `SELECT i AS product_id, 'Article ' || chr(CAST(64 + i AS INTEGER)) AS title,
        ['Books', 'Toys', 'Garden', 'Küche'][1 + i % 4] AS category,
        CAST(3.5 + i * 4.25 AS DECIMAL(8, 2)) AS unit_price, i % 6 <> 0 AS in_stock
        FROM range(1, 25) t(i)`,
    },
    {
      name: 'order_lines',
      description: '',
      sql: `SELECT i AS line_id, 1 + (i * 3) % 300 AS order_id, 1 + (i * 5) % 24 AS product_id,
        1 + i % 4 AS quantity FROM range(1, 601) t(i)`,
    },
  ],
};

export const weather: DataSet = {
  tables: [
    {
      name: 'stations',
      description: 'Where it is measured',
      sql: `SELECT i AS id, ['Aalen', 'Bremen', 'Celle', 'Dresden', 'Emden', 'Fulda'][i] AS station_name,
        ['north', 'south'][1 + i % 2] AS region, i * 55 AS elevation_m, i <> 4 AS is_active
        FROM range(1, 7) t(i)`,
    },
    {
      name: 'measurements',
      description: 'One a day and station',
      sql: `SELECT i AS measurement_id, 1 + i % 6 AS station_id,
        TIMESTAMP '2025-01-01 06:30:00' + to_days(CAST(i // 6 AS INTEGER)) AS measured_at,
        round(((i * 13) % 380) / 10 - 8, 1) AS temperature,
        CAST(((i * 7) % 90) / 10 AS DECIMAL(6, 1)) AS rainfall_mm,
        CASE WHEN i % 11 = 0 THEN NULL ELSE 40 + i % 55 END AS humidity, (i % 30) / 2 AS "windSpeed"
        FROM range(0, 900) t(i)`,
    },
  ],
};

export const library: DataSet = {
  tables: [
    {
      name: 'Members',
      description: '',
      sql: `SELECT 'M' || i AS "memberId", 'Reader ' || i AS "fullName",
        ['Bonn', 'Köln', 'Ulm', 'Bad "Ems"', 'IN'][1 + i % 5] AS city, i % 3 = 0 AS is_student,
        TIMESTAMPTZ '2022-03-01 12:00:00+00' + to_days(CAST(i * 40 AS INTEGER)) AS joined_at
        FROM range(1, 31) t(i)`,
    },
    {
      name: 'loans',
      description: 'Books that were lent',
      sql: `SELECT i AS "loanId", 'M' || (1 + (i * 11) % 30) AS "memberId", 'Book ' || (1 + i % 70) AS "bookTitle",
        ['crime', 'travel', 'poetry | prose', 'science'][1 + i % 4] AS genre,
        DATE '2024-06-01' + CAST(i % 500 AS INTEGER) AS loaned_on,
        DATE '2024-06-29' + CAST(i % 500 AS INTEGER) AS due_on,
        i % 7 <> 0 AS returned, CAST((i % 9) * 0.5 AS DECIMAL(6, 2)) AS fine_eur,
        CASE WHEN i % 3 = 0 THEN NULL ELSE 1 + i % 5 END AS rating
        FROM range(1, 401) t(i)`,
    },
  ],
};

/** Short names of columns, keys of different names, and parts of dates in columns of their own. */
export const flights: DataSet = {
  tables: [
    {
      name: 'flights',
      description: '',
      sql: `SELECT CAST(2024 AS INTEGER) AS year, CAST(1 + i % 12 AS INTEGER) AS month, CAST(1 + i % 28 AS INTEGER) AS day,
        CASE WHEN i % 9 <> 0 THEN (i * 7) % 80 - 10 END AS dep_delay,
        CASE WHEN i % 9 <> 0 THEN (i * 11) % 90 - 15 END AS arr_delay,
        ['AA', 'BB', 'CC'][1 + i % 3] AS carrier, 'N' || i % 40 AS tailnum,
        ['JFK', 'LGA'][1 + i % 2] AS origin, ['LAX', 'HNL', 'SFO', 'LGA'][1 + i % 4] AS dest,
        100 + (i * 37) % 60 * 10 AS distance FROM range(0, 240) t(i)`,
    },
    {
      name: 'airlines',
      description: '',
      sql: `SELECT ['AA', 'BB', 'CC', 'DD'][i] AS carrier,
        ['Alpha Air Inc.', 'Beta Lines', 'Gamma Jets', 'Delta Wings'][i] AS name FROM range(1, 5) t(i)`,
    },
    {
      name: 'airports',
      description: '',
      sql: `SELECT ['JFK', 'LGA', 'LAX', 'HNL', 'SFO', 'OSL', 'ZRH'][i] AS faa, 'Airport ' || i AS name,
        i * 10.5 AS lat, i * 100 AS alt FROM range(1, 8) t(i)`,
    },
    {
      name: 'planes',
      description: '',
      sql: `SELECT 'N' || i AS tailnum, ['Boing', 'Airbuzz'][1 + i % 2] AS manufacturer, 50 + i * 5 AS seats,
        CAST(i % 2 AS INTEGER) AS retired FROM range(0, 50) t(i)`,
    },
    {
      name: 'seattle_weather',
      description: '',
      sql: `SELECT DATE '2015-01-01' + CAST(i AS INTEGER) AS date, i % 30 + 5 AS temp_max, i % 20 AS temp_min,
        NULL::DATE AS checked_on FROM range(0, 300) t(i)`,
    },
  ],
};
