import { expect, test } from 'vitest';
import { placeOf } from '../../console/src/query/fault.ts';

/** What is marked, between what is before and after it. */
function marked(sql: string, message: string): string | undefined {
  const place = placeOf(sql, message);
  return place && `${sql.slice(0, place.from)}[${sql.slice(place.from, place.to)}]${sql.slice(place.to)}`;
}

const missing = (name: string) => `Binder Error: Referenced column "${name}" not found in FROM clause!`;

test('a name is marked where it is a whole word, and not in a text or a comment', () => {
  expect(marked('SELECT city, n FROM t GROUP BY cit', missing('cit'))).toBe(
    'SELECT city, n FROM t GROUP BY [cit]',
  );
  expect(marked("SELECT 'cit' /* cit */, -- cit\n CIT FROM t", missing('cit'))).toBe(
    "SELECT 'cit' /* cit */, -- cit\n [CIT] FROM t",
  );
  expect(marked('SELECT stadt, "my col" FROM t', missing('my col'))).toBe('SELECT stadt, "[my col]" FROM t');
  expect(marked('SELECT größe FROM t', missing('gr'))).toBeUndefined();
});

test('a place that the message tells comes before a name', () => {
  const message = 'Parser Error: syntax error at or near "city" (line 2, column 6)';
  expect(marked('SELECT city\nFROM city WHERE', message)).toBe('SELECT city\nFROM [city] WHERE');
  expect(marked('SELECT', 'Parser Error: syntax error at end of input (line 1, column 7)')).toBe('SELEC[T]');
  expect(marked('SELECT 1', 'The statement took too long.')).toBeUndefined();
});
