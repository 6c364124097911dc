import { answers, type Case } from './cases.ts';
import { shop } from './data-sets.ts';

const buyers = 'orders o JOIN customers c ON o.customer_id = c.customer_id';
const cases: readonly Case[] = [
  // Counts.
  ['How many orders are there?', [[300]]],
  ['how many customers', [[40]]],
  ['Number of products', [[24]]],
  ['count of order lines', [[600]]],
  ['Count the orders', [[300]]],
  ['total number of orders', [[300]]],
  ['How many different countries are there?', [[4]]],
  ['How many unique coupon codes are there?', 'SELECT count(DISTINCT coupon_code) FROM orders'],
  ['how many orders are paid?', [[120]]],
  ['How many paid orders?', [[120]]],
  ['how many orders where status is paid', [[120]]],
  ['How many orders have status = cancelled', [[60]]],
  ['how many orders are not paid', [[180]]],
  ["how many orders aren't paid", [[180]]],
  ['How many orders were cancelled or refunded?', [[120]]],
  ['number of orders excluding cancelled and refunded', [[180]]],
  ['How many customers in Germany?', [[10]]],
  ['how many orders are in Germany', `SELECT count(*) FROM ${buyers} WHERE country = 'Germany'`],
  ['number of orders not in Germany', `SELECT count(*) FROM ${buyers} WHERE country <> 'Germany'`],
  ['how many customers in Germany or France', [[20]]],
  ['How many customers are there where country = Austria, Germany or France', [[30]]],
  ['how many Geschäftskunden customers', `SELECT count(*) FROM customers WHERE segment = 'Geschäftskunde'`],
  [
    'how many customers are of segment handler or Privatkunde',
    `SELECT count(*) FROM customers WHERE segment <> 'Geschäftskunde'`,
  ],
  ['how many newsletter customers', [[20]]],
  ['how many customers without newsletter', [[20]]],
  ['how many products are in stock', [[20]]],
  ['how many products are not in stock?', [[4]]],
  ['how many customers have no email?', [[8]]],
  ['how many customers without email in Germany', [[2]]],
  ['how many customers with an email', [[32]]],
  ['How many orders with missing coupon code', 'SELECT count(*) FROM orders WHERE coupon_code IS NULL'],
  ['how many customers have no orders', [[2]]],
  // Dates.
  ['how many orders in 2025', [[134]]],
  [
    'how many orders in March 2025',
    `SELECT count(*) FROM orders WHERE strftime(order_date, '%Y-%m') = '2025-03'`,
  ],
  [
    'how many orders in 2025-03',
    `SELECT count(*) FROM orders WHERE strftime(order_date, '%Y-%m') = '2025-03'`,
  ],
  ['how many orders in Q1 2025', [[36]]],
  ['how many orders in the first quarter of 2025', [[36]]],
  ['how many orders since 2025-06-01', `SELECT count(*) FROM orders WHERE order_date >= '2025-06-01'`],
  ['how many orders before March 2024', `SELECT count(*) FROM orders WHERE order_date < '2024-03-01'`],
  ['how many orders after 2025-03-10', `SELECT count(*) FROM orders WHERE order_date > '2025-03-10'`],
  ['how many orders until 2025-03-10', `SELECT count(*) FROM orders WHERE order_date <= '2025-03-10'`],
  ['how many orders between 2025-01-01 and 2025-03-31', [[36]]],
  [
    'how many orders from March to May 2025',
    `SELECT count(*) FROM orders WHERE order_date BETWEEN '2025-03-01' AND '2025-05-31'`,
  ],
  ['how many orders on 10 March 2025', `SELECT count(*) FROM orders WHERE order_date = '2025-03-10'`],
  ['how many orders on March 10th, 2025', `SELECT count(*) FROM orders WHERE order_date = '2025-03-10'`],
  [
    'how many orders with order date = 2025-03-10',
    `SELECT count(*) FROM orders WHERE order_date = '2025-03-10'`,
  ],
  ['how many customers signed up in 2024?', `SELECT count(*) FROM customers WHERE year(signed_up_on) = 2024`],
  [
    'how many orders in January and March 2025',
    `SELECT count(*) FROM orders WHERE year(order_date) = 2025 AND month(order_date) IN (1, 3)`,
  ],
  // Figures.
  ['total revenue', 'SELECT sum(amount) FROM orders'],
  ['What is the average order amount?', [[209.541666667]]],
  ['mean amount of paid orders', `SELECT avg(amount) FROM orders WHERE status = 'paid'`],
  ['median amount', 'SELECT median(amount) FROM orders'],
  ['min and max amount', [['11.25', '409.75']]],
  ['What is the highest amount?', [['409.75']]],
  ['what is the lowest amount in 2024', [['11.25']]],
  ['how much revenue did we make in 2025?', [['28799.00']]],
  ['how much did we sell in 2025?', [['28799.00']]],
  [
    'sales in Germany in 2024',
    `SELECT sum(amount) FROM ${buyers} WHERE country = 'Germany' AND year(order_date) = 2024`,
  ],
  [
    'revenue excluding cancelled and refunded',
    `SELECT sum(amount) FROM orders WHERE status NOT IN ('cancelled', 'refunded')`,
  ],
  ['average price of products in Küche', [[58.75]]],
  ['average unitPrice', 'SELECT avg(unit_price) FROM products'],
  ['how many items were sold', 'SELECT sum(quantity) FROM order_lines'],
  [
    'total quantity in 2025',
    'SELECT sum(quantity) FROM order_lines JOIN orders USING (order_id) WHERE year(order_date) = 2025',
  ],
  // Comparisons.
  ['how many orders over 400', [[8]]],
  [
    'how many orders with amount greater than 100 and status paid',
    `SELECT count(*) FROM orders WHERE amount > 100 AND status = 'paid'`,
  ],
  ['how many orders with an amount of at least 400', 'SELECT count(*) FROM orders WHERE amount >= 400'],
  ['how many orders with amount between 100 and 110', [[7]]],
  ['how many orders with amount <= 20.5', 'SELECT count(*) FROM orders WHERE amount <= 20.5'],
  ['how many order lines with at least 3 units', [[300]]],
  ['how many order lines with quantity 4', [[150]]],
  ['how many order lines where quantity is not 4', [[450]]],
  ['how many products with price under 20', [[3]]],
  ['revenue of orders over 300', 'SELECT sum(amount) FROM orders WHERE amount > 300'],
  ['how many orders above 0.1k', 'SELECT count(*) FROM orders WHERE amount > 100'],
  // Groups.
  ['total revenue by country', `SELECT country, sum(amount) FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC`],
  [
    'orders by status',
    [
      ['paid', 120],
      ['cancelled', 60],
      ['refunded', 60],
      ['shipped', 60],
    ],
  ],
  [
    'number of orders per year',
    [
      ['2024-01-01', 166],
      ['2025-01-01', 134],
    ],
  ],
  [
    'number of orders by status and channel',
    'SELECT status, channel, count(*) FROM orders GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2',
  ],
  ['average amount for each channel', 'SELECT channel, avg(amount) FROM orders GROUP BY 1 ORDER BY 2 DESC'],
  [
    'customers per country and segment',
    'SELECT country, segment, count(*) FROM customers GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2',
  ],
  [
    'revenue by month in 2025',
    `SELECT date_trunc('month', order_date)::DATE, sum(amount) FROM orders WHERE year(order_date) = 2025 GROUP BY 1 ORDER BY 1`,
  ],
  [
    'monthly revenue',
    `SELECT date_trunc('month', order_date)::DATE, sum(amount) FROM orders GROUP BY 1 ORDER BY 1`,
  ],
  [
    'revenue by quarter and channel',
    `SELECT date_trunc('quarter', order_date)::DATE, channel, sum(amount) FROM orders GROUP BY 1, 2 ORDER BY 1, 2`,
  ],
  [
    'daily number of orders in March 2025',
    `SELECT order_date, count(*) FROM orders WHERE strftime(order_date, '%Y-%m') = '2025-03' GROUP BY 1 ORDER BY 1`,
  ],
  [
    'orders per week in January 2025',
    `SELECT date_trunc('week', order_date)::DATE, count(*) FROM orders WHERE strftime(order_date, '%Y-%m') = '2025-01' GROUP BY 1 ORDER BY 1`,
  ],
  [
    'number of orders and total amount by channel',
    'SELECT channel, count(*), sum(amount) FROM orders GROUP BY 1 ORDER BY 2 DESC, 1',
  ],
  [
    'quantity by month',
    `SELECT date_trunc('month', order_date)::DATE, sum(quantity) FROM order_lines JOIN orders USING (order_id) GROUP BY 1 ORDER BY 1`,
  ],
  [
    'total quantity by category',
    [
      ['Books', 600],
      ['Küche', 450],
      ['Garden', 300],
      ['Toys', 150],
    ],
  ],
  [
    'units by category in 2025',
    `SELECT category, sum(quantity) FROM order_lines JOIN products USING (product_id) JOIN orders USING (order_id) WHERE year(order_date) = 2025 GROUP BY 1 ORDER BY 2 DESC, 1`,
  ],
  [
    'products not in stock by category',
    [
      ['Books', 2],
      ['Garden', 2],
    ],
  ],
  [
    'list the countries',
    [
      ['Austria', 10],
      ['France', 10],
      ['Germany', 10],
      ['Switzerland', 10],
    ],
  ],
  ['which channels are there?', 'SELECT channel, count(*) FROM orders GROUP BY 1 ORDER BY 2 DESC, 1'],
  // Ranks.
  [
    'top 5 customers by revenue',
    `SELECT name, sum(amount) FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5`,
  ],
  [
    'bottom 3 countries by number of orders',
    `SELECT country, count(*) FROM ${buyers} GROUP BY 1 ORDER BY 2, 1 LIMIT 3`,
  ],
  ['which country has the most orders?', [['Austria', 79]]],
  ['Which country has the fewest orders', [['Germany', 71]]],
  ['which customer has the highest revenue?', [['Customer E30', '2292.00']]],
  ['Which month had the highest revenue?', [['2024-02-01', '5089.25']]],
  [
    'top 3 months by revenue',
    `SELECT date_trunc('month', order_date)::DATE, sum(amount) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 3`,
  ],
];

answers(shop, cases);
