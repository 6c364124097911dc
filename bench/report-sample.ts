/**
 * Regenerates the sample report in docs/samples, in the three generated formats.
 *
 *   node bench/report-sample.ts [folder]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createChartDrawer } from '../domain/publishing/documents/drawer.ts';
import { createReportFormatter } from '../domain/publishing/documents/formatter.ts';
import { chartSpec } from '../packages/documents/index.ts';

const folder = process.argv[2] ?? 'docs/samples';
const chart = 'cht_01kahz3v6dfyvb1s8m3h9q2w4x';
const result = 'res_01kahz3v6dfyvb1s8m3h9q2w4x';
const regions = ['North', 'South', 'East'];
const months = Array.from({ length: 12 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}-01`);
const columns = [
  { name: 'month', dataType: 'DATE' },
  { name: 'region', dataType: 'STRING' },
  { name: 'orders', dataType: 'INTEGER' },
  { name: 'revenue', dataType: 'DECIMAL(10,2)' },
];
const rows = months.flatMap((month, at) =>
  regions.map((region, index) => {
    const orders = 120 + ((at * 37 + index * 53) % 90);
    return [month, region, String(orders), (orders * (48 + index * 3.5)).toFixed(2)];
  }),
);

const markdown = `Orders grew in all three regions. **North** leads by revenue, *East* by growth; returns are left out[^1].

## Revenue

![Revenue by month and region](chart:${chart})

The figures behind it are in [the last part](https://example.com/orders) and come from one query:

\`\`\`sql
SELECT date_trunc('month', ordered_at) AS month, region, count(*) AS orders, sum(amount) AS revenue
FROM orders
GROUP BY ALL
ORDER BY month, region
\`\`\`

## Findings

1. Spring is the strongest season.
   - March and April make a third of the year.
   - In North more than that.
2. Large orders are rare, and ~~do not matter~~ matter for two customers.

> What is not in the data: discounts that were given by hand.

### To do

- [x] Check the returns
- [ ] Ask for the discounts

### In other words

| Language | Text |
|---|---|
| Greek | Οι παραγγελίες αυξήθηκαν |
| Cyrillic | Заказы выросли |
| Arabic | ارتفعت الطلبات (بنسبة 12%) |
| Hebrew | ההזמנות גדלו (12%) |
| Devanagari | ऑर्डर बढ़ गए |
| Chinese | 订单增长了 |
| Japanese | 注文が増えました |
| Korean | 주문이 증가했습니다 |

## Where each goes

| order_number | customer_name | shipping_address | billing_address | first_contact | payment_terms | warehouse_code | carrier_service | tracking_number | account_manager |
|---|---|---|---|---|---|---|---|---|---|
| 2026-000117 | Aurora Trading | 14 Harbour Street | 14 Harbour Street | 2026-01-14 | 30 days | PORTO-02 | overnight | AB-4417-PX-2026 | M. Ferreira |
| 2026-000118 | Borealis Foods | 2 Mill Lane | 9 Station Road | 2026-01-15 | on delivery | LISBOA-01 | standard | AB-4418-PX-2026 | J. Almeida |

## All figures

![Orders and revenue](result:${result})

[^1]: They are booked in the month in which they arrive, which would move revenue between months.
`;

const drawer = createChartDrawer();
const request = {
  kind: 'line',
  x: 'month',
  y: 'revenue',
  series: 'region',
  title: 'Revenue by month and region',
} as const;
const svg = await drawer.svg('sample', chartSpec(request, { columns, rows }));
await drawer.close();

const formatter = createReportFormatter();
const source = { title: 'Orders of 2026', markdown, writtenAt: '2026-11-21T08:30:00.000Z' };
const material = {
  charts: { [chart]: svg },
  results: { [result]: { title: '', columns, columnCount: columns.length, rows, isCut: false } },
  images: {},
};
mkdirSync(folder, { recursive: true });
for (const [format, ending] of [
  ['markdown', 'md'],
  ['pdf', 'pdf'],
  ['docx', 'docx'],
] as const)
  writeFileSync(
    join(folder, `orders.${ending}`),
    await formatter.format('sample', format, source, async () => material),
  );
await formatter.close();
