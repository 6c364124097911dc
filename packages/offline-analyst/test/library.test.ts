import { answers, type Case } from './cases.ts';
import { library } from './data-sets.ts';

const both = 'loans l JOIN "Members" m ON l."memberId" = m."memberId"';
const cases: readonly Case[] = [
  ['how many loans', [[400]]],
  ['how many members are there', [[30]]],
  ['how many loans are not returned', [[57]]],
  ["how many loans haven't been returned", [[57]]],
  ['how many loans where returned = false', [[57]]],
  [
    'returned loans by genre',
    'SELECT genre, count(*) FROM loans WHERE returned GROUP BY 1 ORDER BY 2 DESC, 1',
  ],
  [
    'how many loans by city',
    [
      ['Bad "Ems"', 80],
      ['Bonn', 80],
      ['IN', 80],
      ['Köln', 80],
      ['Ulm', 80],
    ],
  ],
  ['how many members in IN', [[6]]],
  ['how many members in Koln', [[6]]],
  ['how many loans for members in Bad Ems', [[80]]],
  [`how many loans in 'poetry | prose'`, [[100]]],
  ['how many poetry prose loans', [[100]]],
  [
    'share of loans by genre',
    [
      ['crime', 100, 25],
      ['poetry | prose', 100, 25],
      ['science', 100, 25],
      ['travel', 100, 25],
    ],
  ],
  ['average rating by genre', 'SELECT genre, avg(rating) FROM loans GROUP BY 1 ORDER BY 2 DESC'],
  ['total fines by city', `SELECT city, sum(fine_eur) FROM ${both} GROUP BY 1 ORDER BY 2 DESC, 1`],
  ['average fine over 2', 'SELECT avg(fine_eur) FROM loans WHERE fine_eur > 2'],
  ['how many loans without rating', [[133]]],
  [
    'members joined by month',
    `SELECT date_trunc('month', timezone('UTC', joined_at))::DATE, count(*) FROM "Members" GROUP BY 1 ORDER BY 1`,
  ],
  ['how many members joined in 2023', [[9]]],
  ['how many students', [[10]]],
  [
    'how many students by city',
    'SELECT city, count(*) FROM "Members" WHERE is_student GROUP BY 1 ORDER BY 2 DESC, 1',
  ],
  ['how many members are not students', [[20]]],
  [
    'top 3 members by number of loans',
    `SELECT "fullName", count(*) FROM ${both} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3`,
  ],
  [
    'top 3 books',
    [
      ['Book 10', 6],
      ['Book 11', 6],
      ['Book 12', 6],
    ],
  ],
  ['most popular book', [['Book 10', 6]]],
  ['what percentage of loans are returned', [[343, 400, 85.75]]],
  ['how many loans due in March 2025', [[31]]],
  ['how many different books', [[70]]],
  ['how many loans have rating 5', [[53]]],
  [
    'rating at least 4 by genre',
    'SELECT genre, count(*) FROM loans WHERE rating >= 4 GROUP BY 1 ORDER BY 2 DESC, 1',
  ],
  [
    'how many crime loans in 2025 with rating above 3',
    `SELECT count(*) FROM loans WHERE genre = 'crime' AND year(loaned_on) = 2025 AND rating > 3`,
  ],
  [
    'loans by month of due date in 2025',
    `SELECT date_trunc('month', due_on)::DATE, count(*) FROM loans WHERE year(loaned_on) = 2025 GROUP BY 1 ORDER BY 1`,
  ],
  ['highest fine of members in Ulm', `SELECT max(fine_eur) FROM ${both} WHERE city = 'Ulm'`],
  [
    'how many loans → not returned → by genre → only crime and travel',
    `SELECT genre, count(*) FROM loans WHERE NOT returned AND genre IN ('crime', 'travel') GROUP BY 1 ORDER BY 2 DESC, 1`,
  ],
  [
    'average fine → by city → excluding Bonn',
    `SELECT city, avg(fine_eur) FROM ${both} WHERE city <> 'Bonn' GROUP BY 1 ORDER BY 2 DESC, 1`,
  ],
];

answers(library, cases);
