import { answers, type Case } from './cases.ts';
import { shop } from './data-sets.ts';

const buyers = 'orders o JOIN customers c ON o.customer_id = c.customer_id';
const cases: readonly Case[] = [
  [
    'top 3 products by quantity',
    [
      ['Article D', 100],
      ['Article H', 100],
      ['Article L', 100],
    ],
  ],
  [
    'which channel has the highest average amount',
    `SELECT channel, avg(amount) FROM orders GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
  ],
  ['most common status', [['paid', 120]]],
  // Rows.
  ['top 5 orders by amount', 'SELECT * EXCLUDE s_id FROM orders ORDER BY amount DESC, order_id LIMIT 5'],
  ['top 2 orders', 'SELECT * EXCLUDE s_id FROM orders ORDER BY amount DESC, order_id LIMIT 2'],
  ['which product is the most expensive?', [[24, 'Article X', 'Books', '105.50', false]]],
  ['cheapest 3 products', 'SELECT * FROM products ORDER BY unit_price LIMIT 3'],
  ['which product has the lowest price?', [[1, 'Article A', 'Toys', '7.75', true]]],
  ['newest 3 orders', 'SELECT * EXCLUDE s_id FROM orders ORDER BY order_date DESC, order_id LIMIT 3'],
  [
    'when was the last order?',
    'SELECT * EXCLUDE s_id FROM orders ORDER BY order_date DESC, order_id LIMIT 1',
  ],
  ['customers without email', 'SELECT * FROM customers WHERE email IS NULL ORDER BY 1'],
  ['which customers have no orders?', 'SELECT * FROM customers WHERE customer_id IN (39, 40) ORDER BY 1'],
  [
    'list customers in Germany without email',
    `SELECT * FROM customers WHERE country = 'Germany' AND email IS NULL ORDER BY 1`,
  ],
  [
    'show name and email of customers in Austria',
    `SELECT name, email FROM customers WHERE country = 'Austria' ORDER BY 1`,
  ],
  ['which orders are over 405?', 'SELECT * EXCLUDE s_id FROM orders WHERE amount > 405 ORDER BY order_id'],
  [
    `orders with coupon code 'SAVE3'`,
    `SELECT * EXCLUDE s_id FROM orders WHERE coupon_code = 'SAVE3' ORDER BY order_id`,
  ],
  [
    `orders of "Customer E30"`,
    `SELECT o.* EXCLUDE s_id FROM ${buyers} WHERE name = 'Customer E30' ORDER BY order_id`,
  ],
  [
    'show cancelled orders sorted by amount',
    `SELECT * EXCLUDE s_id FROM orders WHERE status = 'cancelled' ORDER BY amount DESC, order_id`,
  ],
  // Shares.
  [
    'share of orders by status',
    [
      ['paid', 120, 40],
      ['cancelled', 60, 20],
      ['refunded', 60, 20],
      ['shipped', 60, 20],
    ],
  ],
  ['what percentage of orders are paid?', [[120, 300, 40]]],
  ['what percentage of orders in 2025 are cancelled?', [[26, 134, 19.4]]],
  ['percentage of customers without email', [[8, 40, 20]]],
  [
    "what's the share of revenue by channel",
    'SELECT channel, sum(amount), round(100 * sum(amount) / (SELECT sum(amount) FROM orders), 2)::DOUBLE FROM orders GROUP BY 1 ORDER BY 2 DESC',
  ],
  // Typos and spellings.
  ['averge amount by chanel', 'SELECT channel, avg(amount) FROM orders GROUP BY 1 ORDER BY 2 DESC'],
  ['how many custmers in Germny', [[10]]],
  [
    'HOW MANY ORDERS BY STATUS',
    [
      ['paid', 120],
      ['cancelled', 60],
      ['refunded', 60],
      ['shipped', 60],
    ],
  ],
  ['how many orderLines', [[600]]],
  ['number of order_lines', [[600]]],
  ['how many missing values in email', [[8]]],
  ['orders with highest amount', 'SELECT * EXCLUDE s_id FROM orders ORDER BY amount DESC, order_id LIMIT 1'],
  ['the country with the highest revenue', [['France', '16281.50']]],
  [
    'customers with the most orders',
    `SELECT name, count(*) FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1`,
  ],
  ['what is the highest revenue by month', [['2024-02-01', '5089.25']]],
  ['what is the highest number of orders by country', [['Austria', 79]]],
  [
    "What's the average order value by country?",
    `SELECT country, avg(amount) FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC`,
  ],
  ['top 5 by amount', 'SELECT * EXCLUDE s_id FROM orders ORDER BY amount DESC, order_id LIMIT 5'],
  [
    'revenue by country sorted by country',
    `SELECT country, sum(amount) FROM ${buyers} GROUP BY 1 ORDER BY 1`,
  ],
  ['list products by price', 'SELECT * FROM products ORDER BY unit_price DESC'],
  ['products ordered by title', 'SELECT * FROM products ORDER BY title'],
  ['show products sorted by price ascending', 'SELECT * FROM products ORDER BY unit_price'],
  [
    'how many paid or shipped orders in Germany or France',
    `SELECT count(*) FROM ${buyers} WHERE status IN ('paid', 'shipped') AND country IN ('Germany', 'France')`,
  ],
  [
    'orders by date in March 2025',
    `SELECT order_date, count(*) FROM orders WHERE strftime(order_date, '%Y-%m') = '2025-03' GROUP BY 1 ORDER BY 1`,
  ],
  [
    'revenue by country as percentages',
    `SELECT country, sum(amount), round(100 * sum(amount) / (SELECT sum(amount) FROM orders), 2)::DOUBLE FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC`,
  ],
  ['how many orders where customer id is 5', [[8]]],
  ['how many orders in the web channel', [[100]]],
  [
    'revenue of top 3 customers',
    `SELECT name, sum(amount) FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3`,
  ],
  [
    '3 countries with the highest revenue',
    `SELECT country, sum(amount) FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC LIMIT 3`,
  ],
  [
    'the 2 categories with the lowest average price',
    'SELECT category, avg(unit_price) FROM products GROUP BY 1 ORDER BY 2 LIMIT 2',
  ],
  ['percent of orders in Germany that are paid', [[28, 71, 39.44]]],
  ['what percentage of paid orders are in Germany', [[28, 120, 23.33]]],
  [
    'how many orders were made by customers in Germany with newsletter',
    `SELECT count(*) FROM ${buyers} WHERE country = 'Germany' AND newsletter`,
  ],
  ['total quantity of "Article A"', [[25]]],
  ['revenue of customers without email', `SELECT sum(amount) FROM ${buyers} WHERE email IS NULL`],
  ['how many order lines for products in Books', [[150]]],
  // Several preceding questions.
  [
    'how many orders? → only paid → by country',
    `SELECT country, count(*) FROM ${buyers} WHERE status = 'paid' GROUP BY 1 ORDER BY 2 DESC, 1`,
  ],
  [
    'revenue in 2025 → and by month?',
    `SELECT date_trunc('month', order_date)::DATE, sum(amount) FROM orders WHERE year(order_date) = 2025 GROUP BY 1 ORDER BY 1`,
  ],
  [
    'revenue in 2025 → and by month? → only for Germany → what about 2024?',
    `SELECT date_trunc('month', order_date)::DATE, sum(amount) FROM ${buyers} WHERE country = 'Germany' AND year(order_date) = 2024 GROUP BY 1 ORDER BY 1`,
  ],
  [
    'total amount by country → and the average?',
    `SELECT country, avg(amount) FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC`,
  ],
  [
    'revenue by country → top 2',
    `SELECT country, sum(amount) FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC LIMIT 2`,
  ],
  [
    'revenue by country → also by channel',
    `SELECT country, channel, sum(amount) FROM ${buyers} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
  ],
  ['how many customers in Germany → what about France?', [[10]]],
  ['how many customers → and orders?', [[300]]],
  [
    'top 3 customers by revenue → and by number of orders?',
    `SELECT name, count(*) FROM ${buyers} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3`,
  ],
  [
    'orders by status → what about channel?',
    [
      ['phone', 100],
      ['store', 100],
      ['web', 100],
    ],
  ],
  ['describe orders → how many are paid', [[120]]],
  ['how many orders in Germany → and the revenue?', [['15262.25']]],
  ['show cancelled orders → how many are there?', [[60]]],
  [
    'orders by status → and in percent?',
    [
      ['paid', 120, 40],
      ['cancelled', 60, 20],
      ['refunded', 60, 20],
      ['shipped', 60, 20],
    ],
  ],
  ['how many paid orders in 2025 → and in 2024? → how many customers are there?', [[40]]],
  [
    'how many paid orders → what is their average amount',
    `SELECT avg(amount) FROM orders WHERE status = 'paid'`,
  ],
  [
    'average amount by status → only web → without cancelled → bottom 2',
    `SELECT status, avg(amount) FROM orders WHERE channel = 'web' AND status <> 'cancelled' GROUP BY 1 ORDER BY 2 LIMIT 2`,
  ],
  [
    'how many orders → by unicorns → by status',
    [
      ['paid', 120],
      ['cancelled', 60],
      ['refunded', 60],
      ['shipped', 60],
    ],
  ],
  [
    'top 5 customers by revenue → only in 2025 → top 2',
    `SELECT name, sum(amount) FROM ${buyers} WHERE year(order_date) = 2025 GROUP BY 1 ORDER BY 2 DESC LIMIT 2`,
  ],
];

answers(shop, cases);
