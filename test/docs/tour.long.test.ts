import { describe, expect, test } from 'vitest';
import { hasCurl } from './run-example.ts';
import { useTour } from './tour.ts';

const { dataDir, tour } = useTour();

describe.skipIf(!hasCurl)('the tour', () => {
  test('runs a playbook with a parameter, and reads its report in four formats', async () => {
    const { code, stdout, stderr } = await tour('playbook.sh', [dataDir()]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // 2,400 sales of 1 to 40 in three alternating regions; those of nine months count.
    expect(stdout).toContain('succeeded');
    expect(stdout).toContain('## Over time');
    expect(stdout).toMatch(/draw_chart: Drew/);
    expect(stdout).toMatch(/sales\.pdf: \d{4,} bytes/);
    expect(stdout).toMatch(/sales\.docx: \d{4,} bytes/);
    expect(stdout).toContain('playbook succeeded: Sales since 2026-04-01');
    expect(stdout).toContain('import succeeded');
  });

  test('schedules a playbook: clocks that change, a fire into a folder, Sundays that have passed', async () => {
    const { code, stdout, stderr } = await tour('schedule.sh');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/T02:30:00 .*gap\n/);
    expect(stdout).toMatch(/T02:30:00 .*overlap\n/);
    expect(stdout).toContain('paused\nactive\n');
    expect(stdout).toMatch(/file {2}delivered {2}reports\/sales\/Sales .*\.pdf/);
    // There is no mail server here; the files are delivered anyway.
    expect(stdout).toMatch(/email {2}failed {2}ada@example\.com {2}.*SMTP_URL/);
    expect(stdout.split('6. ')[1]!.match(/T02:30:00/g)).toHaveLength(3);
  });

  test('copies a database and an API, and then what came since', async () => {
    const { code, stdout, stderr } = await tour('replication.sh');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const snapshots = [...stdout.matchAll(/succeeded (\d+) rows (\d+) requests/g)].map(
      ([, ...counts]) => counts,
    );
    // From the database everything, then the ten minutes before its newest row; from the API three pages,
    // then the two changed records and the last one.
    expect(snapshots).toEqual([
      ['3000', '0'],
      ['11', '0'],
      ['250', '3'],
      ['3', '1'],
    ]);
    expect(stdout).toContain('"city":"Lagos","orders":1000');
    expect(stdout).toContain('"contacts":251,"seventh":"Ada","phone":"555"');
    expect(stdout).toContain('"timeOfDay":"06:30"');
  });

  test('runs a graph of steps: mended and resumed, set off by a call and by new rows, changed and rolled back', async () => {
    const { code, stdout, stderr } = await tour('workflow.sh');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/"nodeId":"orders"/);
    expect(stdout).toMatch(/To a program {2}succeeded/);
    expect(stdout).toContain('the same call again is the same run');
    expect(stdout).toMatch(/The report {2}skipped/);
    expect(stdout).toMatch(/data_event {2}(succeeded|failed)/);
    expect(stdout).toMatch(/schedule {2}(succeeded|failed)/);
    expect(stdout).toContain('version 1 is active again');
    expect(stdout).toMatch(/file {2}file {2}delivered {2}orders\/orders\.pdf/);
    // There is no mail server here; everything else is delivered.
    expect(stdout).toMatch(/email {2}mail {2}failed {2}ada@example\.com {2}.*SMTP_URL/);
    const totals = [...stdout.matchAll(/signed well: .*"payload":\{"total":(.*?)\}/g)].map(
      ([, total]) => total,
    );
    // A sum of integers may be too long for a double, so it is returned as text.
    expect(totals).toEqual(['40', '45', '45']);
  });

  test('shapes data in layers: stale by new rows, fresh by one sync, traced to a column of the file', async () => {
    const { code, stdout, stderr } = await tour('shaping.sh');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // 30,000 sales of 10 to 99 in three alternating cities, two thirds of them paid.
    const built = [...stdout.matchAll(/^\[.*"tableVersion".*\]$/gm)];
    expect(built.map(([tables]) => JSON.parse(tables).length)).toEqual([2, 2]);
    expect(stdout).toContain('[{"cities":2}]');
    expect(stdout).toMatch(/"city":"Osaka","total":"?\d+"?,"isReached":true/);
    expect(stdout.split('6. ')[1]!.trimEnd().split('\n').slice(1)).toEqual([
      '   file sales.csv: price',
      '   identity to table shaping_sales: price',
      '   identity to view shaping_paid: amount',
      '   aggregation to table shaping_cities: total',
      '   identity to table shaping_reached: total',
    ]);
  });

  test('verifies a table: a file refused, its failing rows read, let through by an overlay, tested on request', async () => {
    const { code, stdout, stderr } = await tour('verification.sh');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const steps = stdout.split(/^\d\. .*\n/m);
    const lines = (step: number) => steps[step]!.trimEnd().split('\n');
    expect(lines(3)).toEqual([
      expect.stringContaining('amounts are positive (2 rows). Nothing was changed.'),
    ]);
    expect(lines(4)).toEqual([
      '[{"orderNo":4,"city":"Porto","amount":-10},{"orderNo":5,"city":"Lagos","amount":null}]',
      '   failed  amounts are positive  2 failing',
    ]);
    const others = '   orders occur once: warn, as the definition says';
    expect(lines(5)).toEqual([
      ...['   amounts are positive: error, as the definition says, blocking', others],
      ...['   amounts are positive: warn, as the overlay says, blocking', others],
    ]);
    const results = ['   warned  amounts are positive  2 failing', '   warned  orders occur once  2 failing'];
    expect([lines(7), lines(8)]).toEqual([results, results]);
  });

  test('exports a table: checked, imported again, split, as a workbook, and one that is cancelled', async () => {
    const { code, stdout, stderr } = await tour('export.sh');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const steps = stdout.split(/^\d\. .*\n/m).map((step) => step.trimEnd().split(/\r?\n/));
    expect(steps[2]).toEqual(['   300000 rows in exported_trips.parquet']);
    expect(steps[3]).toEqual(['[{"different":0}]']);
    const parts = steps[4]!.slice(0, -2);
    expect(parts.map((line) => line.trim().split(' ')[0])).toEqual(
      parts.map((_, at) => `trips_${at + 1}.csv`),
    );
    expect(parts.length).toBeGreaterThan(3);
    expect(steps[4]!.slice(-2)).toEqual(['trip,km', '0,0.0']);
    expect(steps[5]).toEqual(['   3 rows in totals.xlsx']);
    expect(steps[7]!.slice(0, 3)).toEqual([
      '   csv cancelled 0',
      '   xlsx succeeded 3',
      '   csv succeeded 300000',
    ]);
  });

  test('talks with the analyst: an answer, a Stop, a queue that is held, changed and resumed', async () => {
    const { code, stdout, stderr } = await tour('talk.sh');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // 3,000 visits of three alternating cities, with 1 to 50 guests.
    expect(stdout).toMatch(/\| Lagos \| 25500 \|/);
    expect(stdout).toMatch(/"status":"cancelled","queueHeld":true/);
    expect(stdout).toContain('"held":true');
    expect(stdout).toMatch(/maximum.*\*\*50\*\*/i);
    expect(stdout).toMatch(/\*\*1000\*\*/);
    expect(stdout).toMatch(/\d+ text\.delta/);
    expect(stdout).toMatch(/4 turn\.finished/);
  });
});
