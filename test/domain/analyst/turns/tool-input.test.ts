import { describe, expect, test } from 'vitest';
import { readInput, unreadableInput } from '../../../../domain/analyst/turns/tool-input.ts';

const sql = 'SELECT 1,\n\t2';

describe('what has one reading is read', () => {
  test.each<[string, unknown]>([
    ['JSON', JSON.stringify({ sql })],
    ['an object', { sql }],
    ['line breaks and tabs within a text', `{"sql": "${sql}"}`],
    ['commas before closing brackets', `{"sql": ${JSON.stringify(sql)}, }`],
    ['encoded twice', JSON.stringify(JSON.stringify({ sql }))],
    ['encoded twice, with a line break within', JSON.stringify(`{"sql": "${sql}",}`)],
    ['a fence', `\`\`\`json\n${JSON.stringify({ sql })}\n\`\`\``],
    ['a fence around what is nearly JSON', `\`\`\`\n{"sql": "${sql}",\n}\n\`\`\`\n`],
  ])('%s', (_what, written) => {
    expect(readInput(written)).toEqual({ input: { sql } });
  });

  test('a comma, a bracket and a backslash within a text stay', () => {
    const input = { a: ', ]', b: ',}', c: 'x\\', d: '"', e: [1, { f: 2 }] };
    const written = JSON.stringify(input).replace('{"f":2}', '{"f":2,}\n,').slice(0, -1);
    expect(readInput(`${written}\n,}`)).toEqual({ input });
  });

  test('nothing is what a tool without parameters is called with', () => {
    expect(readInput('')).toEqual({ input: {} });
  });
});

describe('what has none, or several, is told', () => {
  test.each<[string, unknown, string]>([
    ['a cut text', '{"sql": "SELECT', 'JSON'],
    ['single quotes', "{'sql': 'SELECT 1'}", 'JSON'],
    ['a sentence', 'Run SELECT 1, please.', 'JSON'],
    ['two objects', '{"a":1}{"a":2}', 'JSON'],
    ['a missing value', '{"a":,}', 'JSON'],
    ['a list', '[1]', 'It is a list.'],
    ['a number', '7', 'It is a number.'],
    ['null', null, 'It is null.'],
    [
      'a text that is encoded again and again',
      JSON.stringify(JSON.stringify(JSON.stringify('"a"'))),
      'a string',
    ],
  ])('%s', (_what, written, fault) => {
    expect(readInput(written)).toEqual({ fault: expect.stringContaining(fault) });
  });

  test('with what was sent, and at most so much of it', () => {
    const message = unreadableInput(`{"a": ${'x'.repeat(10_000)}`, 'Why.');
    expect(message).toMatch(/^The input isn't a JSON object\. Why\. You sent: \{"a": x+$/);
    expect(message.length).toBeLessThan(1_600);
  });
});
