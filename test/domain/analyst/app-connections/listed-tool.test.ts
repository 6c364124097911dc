import { expect, test } from 'vitest';
import { createRedaction } from '../../../../data/outgoing/redaction.ts';
import { maxTools, readListed as read } from '../../../../domain/analyst/app-connections/listed-tool.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } } };
const plain = { name: 'find', description: 'Finds.', inputSchema: schema };

const readListed = (raw: unknown[]) => read(raw, createRedaction([]));

function only(raw: unknown) {
  const [tool, ...more] = readListed([raw]);
  expect(more).toEqual([]);
  return tool!;
}

test('a tool is read with its title, its hint and its schema', () => {
  expect(only({ ...plain, title: 'Find', annotations: { readOnlyHint: true } })).toEqual({
    name: 'find',
    title: 'Find',
    description: 'Finds.',
    inputSchema: schema,
    isReadOnly: true,
    refusal: null,
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(only({ ...plain, annotations: { title: 'Of old', readOnlyHint: 'true' } })).toMatchObject({
    title: 'Of old',
    isReadOnly: false,
  });
});

test('the fingerprint is that of whatever a person decides by, in any order of its members', () => {
  const { fingerprint } = only(plain);
  const turned = {
    inputSchema: { properties: schema.properties, type: 'object' },
    description: 'Finds.',
    name: 'find',
  };
  expect(only(turned).fingerprint).toBe(fingerprint);
  expect(only({ ...plain, outputSchema: { type: 'object' }, _meta: { a: 1 } }).fingerprint).toBe(fingerprint);
  const others = [
    { ...plain, name: 'find2' },
    { ...plain, description: 'Finds!' },
    { ...plain, title: 'Find' },
    { ...plain, annotations: { readOnlyHint: true } },
    { ...plain, annotations: { destructiveHint: false } },
    { ...plain, inputSchema: { ...schema, required: ['a'] } },
    // What is cut off before a model reads it also counts.
    { ...plain, description: `Finds.${' '.repeat(5_000)}x` },
    { ...plain, description: `Finds.${' '.repeat(5_000)}y` },
  ];
  const all = others.map((raw) => only(raw).fingerprint);
  expect(new Set([fingerprint, ...all]).size).toBe(others.length + 1);
});

test('what cannot be offered is listed with its reason', () => {
  let deep: object = { type: 'string' };
  for (let level = 0; level < 50_000; level += 1) deep = { items: deep };
  const cases: [unknown, RegExp][] = [
    [{ ...plain, inputSchema: undefined }, /JSON Schema object/],
    [{ ...plain, inputSchema: 'a' }, /JSON Schema object/],
    [{ ...plain, inputSchema: [schema] }, /JSON Schema object/],
    [{ ...plain, inputSchema: { type: 'array' } }, /the type "object"/],
    [{ ...plain, inputSchema: { ...schema, description: 'x'.repeat(32_768) } }, /larger than 32 KiB/],
    [{ ...plain, inputSchema: { type: 'object', properties: { deep } } }, /nested more/],
    [{ ...plain, name: 'no spaces' }, /name of the tool/],
    [{ ...plain, name: 'x'.repeat(129) }, /name of the tool/],
    [{ ...plain, name: 7 }, /name of the tool/],
    [{ ...plain, execution: { taskSupport: 'required' } }, /MCP task/],
    [null, /name of the tool/],
    ['text', /name of the tool/],
  ];
  for (const [raw, reason] of cases) {
    const tool = only(raw);
    expect(tool.refusal).toMatch(reason);
    expect(tool.name.length).toBeGreaterThan(0);
    expect(tool.name.length).toBeLessThanOrEqual(128);
  }
});

test('of tools that have one name neither is offered', () => {
  const tools = readListed([plain, { ...plain, description: 'Deletes.' }, { ...plain, name: 'other' }]);
  expect(tools.map(({ name, refusal }) => [name, refusal])).toEqual([
    ['find', 'The server lists several tools with this name.'],
    ['other', null],
  ]);
});

test('text is cut and made storable', () => {
  const tool = only({ ...plain, title: 'a\0b', description: `\ud800${'y'.repeat(9_000)}` });
  expect(tool.title).toBe('a\ufffdb');
  expect(tool.description.length).toBe(4_000);
  expect(tool.description.isWellFormed()).toBe(true);
  expect(
    readListed(Array.from({ length: maxTools + 1 }, (_, n) => ({ ...plain, name: `t${n}` }))).length,
  ).toBe(maxTools + 1);
});

test('a secret is taken out of a tool before anything of it is cut', () => {
  const secret = 'abcdefghijklmnop';
  const description = `${'x'.repeat(3_990)}${secret}`;
  const raw = { name: secret, description, inputSchema: { type: 'object', title: secret } };
  const [tool] = read([raw], createRedaction([secret]));
  expect(tool).toMatchObject({ name: '[secret]', description: `${'x'.repeat(3_990)}[secret]` });
  expect(JSON.stringify(tool)).not.toContain('abcdef');
});
