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
