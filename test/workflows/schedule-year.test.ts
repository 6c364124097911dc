import { test } from 'vitest';
import { useYear } from './schedule-year.ts';

const { throughAYear, losingAnswers } = useYear();

test('a cadence at the end of each month fires through a year, each time once', () =>
  throughAYear([{ type: 'monthly', zoneId: 'Australia/Lord_Howe', timeOfDay: '02:15', dayOfMonth: 31 }]));

test('a step that is lost after it was done fires nothing twice', () =>
  throughAYear(
    [{ type: 'weekly', zoneId: 'Europe/Berlin', timeOfDay: '02:30', daysOfWeek: ['SUNDAY'] }],
    losingAnswers(),
  ));
