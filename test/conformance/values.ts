/**
 * What a value becomes in a column of a declared type, for each of the ways in. `stored` is the stored value
 * as the engine writes it, undefined if the value is refused.
 *
 * A text is the content of a file's cell: in a CSV, an XLSX or a Parquet file of strings, or a string in a
 * JSON file. Files come from other programs, and are read by their meaning; rows and pages sent by a program
 * are JSON with types of its own, and are taken literally. `sent` says where that makes a difference, and
 * `why`.
 */
export interface TextCase {
  type: string;
  text: string;
  stored: string | undefined;
  /** The same text as a JSON string in a row or a page; omitted if it is as in a file. */
  sent?: { stored: string | undefined; why: string };
}

/** A JSON value that is not a string: in a JSON file, a row and a page. */
export interface JsonCase {
  type: string;
  /** The value as JSON text. */
  json: string;
  stored: string | undefined;
  /** In a JSON file; omitted if it is as in a row. */
  file?: { stored: string | undefined; why: string };
}

const refused = undefined;
const no = (why: string) => ({ sent: { stored: refused, why } });
const numbers = 'JSON has numbers of its own; a string is none';
const truths = 'JSON has truth values of its own; a string is none';
const strict = 'one way of writing it is enough for a program';
const years = 'a program that sends years beyond 0001 to 9999 has made a mistake';

const text = (
  type: string,
  value: string,
  stored: string | undefined,
  more: Partial<TextCase> = {},
): TextCase => ({
  type,
  text: value,
  stored,
  ...more,
});

export const textCases: TextCase[] = [
  ...['true', 'TRUE', 't', '1', 'yes', ' true '].map((value) => text('BOOLEAN', value, 'true', no(truths))),
  ...['false', 'f', '0', 'no'].map((value) => text('BOOLEAN', value, 'false', no(truths))),
  ...['2', 'on', 'x'].map((value) => text('BOOLEAN', value, refused)),

  text('INTEGER', '5', '5', no(numbers)),
  text('INTEGER', '+5', '5', no(numbers)),
  text('INTEGER', '007', '7', no(numbers)),
  text('INTEGER', '-0', '0', no(numbers)),
  text('INTEGER', '1.0', '1', no(numbers)),
  text('INTEGER', '9223372036854775807', '9223372036854775807', no(numbers)),
  text('INTEGER', '-9223372036854775808', '-9223372036854775808', no(numbers)),
  ...['9223372036854775808', '1.5', '1e3', '1_000', '0x10', 'x'].map((value) =>
    text('INTEGER', value, refused),
  ),

  text('DECIMAL(5,2)', '1.5', '1.50'),
  text('DECIMAL(5,2)', '1.500', '1.50'),
  text('DECIMAL(5,2)', '999.99', '999.99'),
  text('DECIMAL(5,2)', '-.5', '-0.50'),
  text('DECIMAL(5,2)', '+2', '2.00'),
  text('DECIMAL(5,2)', '1e2', '100.00'),
  text('DECIMAL(5,2)', '1.5E-1', '0.15'),
  ...['1.505', '999.995', '1000', '1e3', '1e-3', '1.234e-1', '1_0', 'NaN'].map((value) =>
    text('DECIMAL(5,2)', value, refused),
  ),
  text('DECIMAL(38,0)', '9'.repeat(38), '9'.repeat(38)),
  text('DECIMAL(38,0)', '1e37', `1${'0'.repeat(37)}`),
  text('DECIMAL(38,0)', `1${'0'.repeat(38)}`, refused),
  text('DECIMAL(38,0)', '1e38', refused),

  text('DOUBLE', '1.5', '1.5', no(numbers)),
  text('DOUBLE', '-2e3', '-2000.0', no(numbers)),
  // Another program may write a double with more digits than it has.
  text('DOUBLE', '0.10000000000000000555', '0.1', no(numbers)),
  text('DOUBLE', 'NaN', 'nan'),
  text('DOUBLE', 'Infinity', 'inf'),
  text('DOUBLE', '-Infinity', '-inf'),
  ...['inf', '+inf'].map((value) => text('DOUBLE', value, 'inf', no(strict))),
  text('DOUBLE', '-inf', '-inf', no(strict)),
  ...['1e400', '1_0', '0x1p3', 'x'].map((value) => text('DOUBLE', value, refused)),

  text('DATE', '2024-02-29', '2024-02-29'),
  text('DATE', '9999-12-31', '9999-12-31'),
  ...['2024-2-29', '2024/02/29', ' 2024-02-29 ', '2024-02-29 00:00:00'].map((value) =>
    text('DATE', value, '2024-02-29', no(strict)),
  ),
  text('DATE', '0000-01-01', '0001-01-01 (BC)', no(years)),
  ...['2023-02-29', '2024-02-29 10:00:00', '20240229', 'infinity', '29.02.2024'].map((value) =>
    text('DATE', value, refused),
  ),

  text('TIME', '10:00', '10:00:00'),
  text('TIME', '23:59:59.123456', '23:59:59.123456'),
  text('TIME', '9:05', '09:05:00', no(strict)),
  text('TIME', '10:00:00.1234560', '10:00:00.123456', no(strict)),
  text('TIME', '24:00:00', '24:00:00', no(strict)),
  ...['10:00:00.1234567', '23:59:60', '25:00', '10:00:00+02'].map((value) => text('TIME', value, refused)),

  text('TIMESTAMP', '2024-02-29', '2024-02-29 00:00:00'),
  text('TIMESTAMP', '2024-02-29 10:00', '2024-02-29 10:00:00'),
  text('TIMESTAMP', '2024-02-29T10:00:00.123456', '2024-02-29 10:00:00.123456'),
  text('TIMESTAMP', '2024-02-29T10:00:00.123456Z', '2024-02-29 10:00:00.123456'),
  text('TIMESTAMP', '2024-02-29T10:00:00.123456+02:00', '2024-02-29 08:00:00.123456'),
  text('TIMESTAMP', '2024-02-29T10:00-0530', '2024-02-29 15:30:00'),
  text('TIMESTAMP', '2024-02-29 10:00:00 +02', '2024-02-29 08:00:00', no(strict)),
  text('TIMESTAMP', '2024-02-29 10:00:00.1000000', '2024-02-29 10:00:00.1', no(strict)),
  text('TIMESTAMP', '2024-02-29 24:00:00', '2024-03-01 00:00:00', no(strict)),
  text('TIMESTAMP', '0001-01-01T00:00:00+02:00', '0001-12-31 (BC) 22:00:00', no(years)),
  ...[
    '2024-02-29T10:00:00.1234567',
    '2023-02-29 10:00:00',
    '2024-02-29 23:59:60',
    '2024-02-29T10:00:00+25:00',
    '2024-02-29T10:00:00+02:75',
    'infinity',
  ].map((value) => text('TIMESTAMP', value, refused)),

  text('STRING', 'x', 'x'),
  text('STRING', ' 007 ', ' 007 '),
  text('STRING', 'a"b,c\nd\\', 'a"b,c\nd\\'),
  text('STRING', 'ü漢😀', 'ü漢😀'),
];

/**
 * Texts of JSON documents in text files. In JSON itself a string is a string, and so it is in an XLSX cell.
 */
export const documentCases: TextCase[] = [
  ...[
    '{"b": 1.0, "a": [1e400, 12345678901234567890]}',
    '[]',
    '"x"',
    '1',
    'true',
    '{"info": "NaN, [1,]"}',
  ].map((value) => text('JSON', value, value)),
  ...['x', '[1,2', '[1,]', '{"a": 1,}', 'NaN', '{"a": [-Infinity]}', "{'a': 1}", '{} x'].map((value) =>
    text('JSON', value, refused),
  ),
];

const json = (
  type: string,
  value: string,
  stored: string | undefined,
  more: Partial<JsonCase> = {},
): JsonCase => ({
  type,
  json: value,
  stored,
  ...more,
});
const file = (stored: string | undefined, why: string) => ({ file: { stored, why } });
const meant = 'a file is read by what its mapping says that it means';
const nearest = 'the mapping asks for a DOUBLE, and its nearest one is what a file can be given';

export const jsonCases: JsonCase[] = [
  json('BOOLEAN', 'true', 'true'),
  json('BOOLEAN', '1', refused, file('true', meant)),
  json('BOOLEAN', '2', refused),
  json('BOOLEAN', '[true]', refused),

  json('INTEGER', '-0', '0'),
  json('INTEGER', '1.0', '1'),
  json('INTEGER', '1e3', '1000'),
  json('INTEGER', '9223372036854775807', '9223372036854775807'),
  json('INTEGER', '9223372036854775807.0', '9223372036854775807'),
  ...['9223372036854775808', '1.5', 'true', '{}'].map((value) => json('INTEGER', value, refused)),

  json('DECIMAL(5,2)', '1.50', '1.50'),
  json('DECIMAL(5,2)', '1e2', '100.00'),
  ...['1.505', '1000', 'true', '[1]'].map((value) => json('DECIMAL(5,2)', value, refused)),
  json('DECIMAL(38,10)', '0.0000001', '0.0000001000'),
  json('DECIMAL(38,10)', '1e-7', '0.0000001000'),
  json('DECIMAL(38,10)', '0.00000000001', refused),
  json('DECIMAL(38,0)', '5e21', '5000000000000000000000'),
  json('DECIMAL(38,0)', '9'.repeat(38), '9'.repeat(38)),
  json('DECIMAL(38,0)', '1e38', refused),

  json('DOUBLE', '1', '1.0'),
  json('DOUBLE', '1.5e300', '1.5e+300'),
  json('DOUBLE', '-0.0', '0.0'),
  json('DOUBLE', '9007199254740993', refused, file('9007199254740992.0', nearest)),
  json('DOUBLE', '0.1234567890123456789', refused, file('0.12345678901234568', nearest)),
  json('DOUBLE', '1e400', refused),
  json('DOUBLE', 'true', refused),

  ...['DATE', 'TIME', 'TIMESTAMP'].flatMap((type) =>
    ['20240229', 'true', '{}'].map((value) => json(type, value, refused)),
  ),

  json('STRING', '5', refused, file('5', meant)),
  json('STRING', '9007199254740993', refused, file('9007199254740993', meant)),
  json('STRING', 'true', refused, file('true', meant)),
  json('STRING', '{"a": 1}', refused, file('{"a":1}', meant)),
  json('STRING', '"\\ud800"', refused),

  json('JSON', '{"b": 1, "a": [1e400, 12345678901234567890]}', '{"b":1,"a":[1e400,12345678901234567890]}'),
  json('JSON', '{"a": 1, "a": 2}', '{"a":2}'),
  json('JSON', '"x"', '"x"'),
  json('JSON', '5', '5'),
  json('JSON', 'false', 'false'),
  json('JSON', '["\\ud800"]', refused),
];
