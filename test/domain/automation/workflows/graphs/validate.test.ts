import { expect, test } from 'vitest';
import { nodeTypes } from '../../../../../domain/automation/workflows/graphs/node-types.ts';
import { placeholdersIn } from '../../../../../domain/automation/workflows/graphs/placeholders.ts';
import { putSecrets, takeSecrets } from '../../../../../domain/automation/workflows/graphs/secrets.ts';
import { validateGraph } from '../../../../../domain/automation/workflows/graphs/validate.ts';

const query = { id: 'sales', type: 'query', name: 'Sales', config: { sql: 'SELECT 1 AS n' } };
const enough = {
  id: 'enough',
  type: 'condition',
  name: 'Enough?',
  config: { sql: 'SELECT n > ${params.least} FROM input' },
};
const tell = {
  id: 'tell',
  type: 'email_delivery',
  name: 'Tell',
  config: { to: ['ada@example.com'], subject: 'Sales: ${sales.rows}' },
};
const good = {
  version: 1,
  parameters: { least: { type: 'number', default: 10 } },
  nodes: [query, enough, tell],
  edges: [
    { from: 'sales.rows', to: 'enough.input' },
    { from: 'enough.yes', to: 'tell.start' },
    { from: 'sales.rows', to: 'tell.input' },
  ],
};

const faultsOf = (change: object) => {
  const validated = validateGraph({ ...good, ...change });
  return 'faults' in validated ? validated.faults : [];
};
const at = (...loc: (string | number)[]) => ['body', 'graph', ...loc];

test('a graph that holds together has no fault', () => {
  expect(faultsOf({})).toEqual([]);
});

test('an approval may expire after a second, and a secret may have one character', () => {
  const ask = { ...query, type: 'approval', config: { message: 'Well?', expires_in_seconds: 1 } };
  const config = { url: 'https://example.com', secret: 's' };
  const call = { ...query, id: 'call', type: 'webhook_delivery', config };
  expect(faultsOf({ nodes: [ask, call], edges: [] })).toEqual([]);
});

test.each([
  ['another version', { version: 2 }, at('version'), 'literal_error'],
  ['no nodes', { nodes: [] }, at('nodes'), 'too_short'],
  ['a member that there is not', { node: [] }, at('node'), 'extra_forbidden'],
  ['an unknown type', { nodes: [{ ...query, type: 'shell' }], edges: [] }, at('nodes', 0, 'type'), 'enum'],
  ['two nodes of one id', { nodes: [query, query], edges: [] }, at('nodes', 1, 'id'), 'value_error'],
  [
    'an id that is none',
    { nodes: [{ ...query, id: 'a.b' }], edges: [] },
    at('nodes', 0, 'id'),
    'string_pattern_mismatch',
  ],
  [
    'a config without its sql',
    { nodes: [{ ...query, config: {} }], edges: [] },
    at('nodes', 0, 'config', 'sql'),
    'missing',
  ],
  [
    'a config with more',
    { nodes: [{ ...query, config: { sql: 'x', limit: 3 } }], edges: [] },
    at('nodes', 0, 'config', 'limit'),
    'extra_forbidden',
  ],
  [
    'an approval that expires at once',
    {
      nodes: [{ ...query, type: 'approval', config: { message: 'Well?', expires_in_seconds: 0 } }],
      edges: [],
    },
    at('nodes', 0, 'config', 'expires_in_seconds'),
    'greater_than_equal',
  ],
  [
    'a secret of no characters',
    {
      nodes: [{ ...query, type: 'webhook_delivery', config: { url: 'https://example.com', secret: '' } }],
      edges: [],
    },
    at('nodes', 0, 'config', 'secret'),
    'string_too_short',
  ],
  [
    'too many tries',
    { nodes: [{ ...query, retry: { max_attempts: 11 } }], edges: [] },
    at('nodes', 0, 'retry', 'max_attempts'),
    'less_than_equal',
  ],
  [
    'an edge from nowhere',
    { edges: [{ from: 'gone.rows', to: 'enough.input' }] },
    at('nodes', 1, 'inputs', 'input'),
    'value_error',
  ],
  [
    'an edge to nowhere',
    { edges: [{ from: 'sales.rows', to: 'gone.input' }] },
    at('nodes', 0, 'outputs', 'rows'),
    'value_error',
  ],
  [
    'an edge between nobodies',
    { edges: [{ from: 'a.b', to: 'c.d' }] },
    at('edges', 0, 'from'),
    'value_error',
  ],
  [
    'an output that a node has not',
    { edges: [{ from: 'sales.report', to: 'enough.input' }] },
    at('nodes', 0, 'outputs', 'report'),
    'value_error',
  ],
  [
    'an input that a node has not',
    { edges: [{ from: 'enough.yes', to: 'sales.input' }] },
    at('nodes', 0, 'inputs', 'input'),
    'value_error',
  ],
  [
    'order where rows are wanted',
    { edges: [{ from: 'sales.done', to: 'enough.input' }] },
    at('nodes', 1, 'inputs', 'input'),
    'value_error',
  ],
  [
    'two edges into one input',
    { edges: [...good.edges, { from: 'sales.rows', to: 'enough.input' }] },
    at('nodes', 1, 'inputs', 'input'),
    'value_error',
  ],
  ['an input without its edge', { edges: [] }, at('nodes', 1, 'inputs', 'input'), 'missing'],
  ['a parameter that there is not', { parameters: {} }, at('nodes', 1, 'config', 'sql'), 'value_error'],
  [
    'a default of another type',
    { parameters: { least: { type: 'number', default: 'ten' } } },
    at('parameters', 'least', 'default'),
    'value_error',
  ],
  ['a parameter of no type', { parameters: { least: {} } }, at('parameters', 'least', 'type'), 'missing'],
])('%s is told at its place', (_what, change, loc, type) => {
  expect(faultsOf(change)).toContainEqual({ loc, type, msg: expect.any(String) });
});

test.each(['${sales}', '${sales.report}', '${nobody.rows}', '${params.sales}', '${}', '${a b.c}'])(
  'the placeholder %s names nothing',
  (text) => {
    const node = { ...tell, config: { ...tell.config, subject: `About ${text}` } };
    const faults = faultsOf({ nodes: [query, enough, node] });
    expect(faults).toEqual([
      { loc: at('nodes', 2, 'config', 'subject'), type: 'value_error', msg: expect.stringContaining(text) },
    ]);
  },
);

test('every fault is told, not the first alone', () => {
  const faults = faultsOf({
    nodes: [
      { ...query, config: {} },
      { ...enough, type: 'x' },
      { ...tell, name: '' },
    ],
  });
  expect(faults.length).toBeGreaterThanOrEqual(3);
});

const places = (change: object) => faultsOf(change).map(({ loc, type }) => [loc.slice(2).join('.'), type]);

test.each<[string, object, string[][]]>([
  [
    'the parts of a node',
    { nodes: [{ id: 'sales', type: 'shell', name: '', timeout_seconds: 0 }], edges: [] },
    [
      ['nodes.0.name', 'string_too_short'],
      ['nodes.0.timeout_seconds', 'greater_than_equal'],
      ['nodes.0.type', 'enum'],
    ],
  ],
  [
    'the form of a node and its config',
    { nodes: [{ ...query, name: '', config: { limit: 3 } }], edges: [] },
    [
      ['nodes.0.name', 'string_too_short'],
      ['nodes.0.config.sql', 'missing'],
      ['nodes.0.config.limit', 'extra_forbidden'],
    ],
  ],
  [
    'the form of the graph and what is in it',
    {
      version: undefined,
      more: 1,
      parameters: { least: {} },
      nodes: [query, enough, { ...tell, config: { ...tell.config, subject: '${no.rows} ${no.rows}' } }],
      edges: [{ from: 'sales.rows', to: 'tell.inputs', by: 1 }],
    },
    [
      ['version', 'missing'],
      ['edges.0.by', 'extra_forbidden'],
      ['more', 'extra_forbidden'],
      ['parameters.least.type', 'missing'],
      ['nodes.2.inputs.inputs', 'value_error'],
      ['nodes.1.inputs.input', 'missing'],
      ['nodes.2.config.subject', 'value_error'],
    ],
  ],
  [
    'two nodes of one id and an unknown type of the first',
    { nodes: [{ ...query, type: 'shell' }, query], edges: [] },
    [
      ['nodes.0.type', 'enum'],
      ['nodes.1.id', 'value_error'],
    ],
  ],
  [
    'a placeholder in a node of an unknown type',
    { nodes: [{ ...query, type: 'shell', config: { a: '${params.no}' } }], edges: [] },
    [
      ['nodes.0.type', 'enum'],
      ['nodes.0.config.a', 'value_error'],
    ],
  ],
  [
    'an input whose one edge is wrong, once',
    { edges: [{ from: 'gone.rows', to: 'enough.input' }] },
    [['nodes.1.inputs.input', 'value_error']],
  ],
])('no fault hides another: %s', (_what, change, expected) => {
  expect(places(change)).toEqual(expected);
});

test('every cycle is told, and one through a node of two is not', () => {
  const order = (from: string, to: string) => ({ from: `${from}.done`, to: `${to}.start` });
  const nodes = ['a', 'b', 'c', 'd', 'e', 'f', 'f'].map((id) => ({ ...query, id }));
  const edges = [
    order('a', 'b'),
    order('b', 'a'),
    order('b', 'c'),
    order('c', 'b'),
    order('d', 'd'),
    order('e', 'f'),
    order('f', 'e'),
  ];
  const messages = faultsOf({ nodes, edges }).map(({ msg }) => msg);
  expect(messages).toEqual([
    'Two nodes have the id f.',
    expect.stringMatching(/: (a → b → a|b → a → b)\.$/),
    expect.stringMatching(/: (b → c → b|c → b → c)\.$/),
    expect.stringMatching(/: d → d\.$/),
  ]);
});

test('of very many faults the first hundred are told', () => {
  const edges = Array.from({ length: 1_000 }, (_, index) => ({ from: `a${index}.b`, to: `c${index}.d` }));
  expect(faultsOf({ edges })).toHaveLength(100);
});

test('a placeholder that a text repeats is looked at once', () => {
  const sql = '${nothing.there} '.repeat(1_500) + Array.from({ length: 5 }, (_, at) => `\${b${at}.x}`);
  const faults = faultsOf({ nodes: [{ ...query, config: { sql } }], edges: [] });
  expect(faults).toHaveLength(6);
  expect(placeholdersIn({ sql })[0]).toMatchObject({ text: 'nothing.there', times: 1_500 });
});

test.each([
  ['edges', [{ from: 'b.done', to: 'a.start' }], {}],
  ['a text', [], { sql: 'SELECT ${b.rows}' }],
])('a cycle by %s is told with its nodes', (_what, edges, config) => {
  const node = (id: string, more = {}) => ({ ...query, id, config: { ...query.config, ...more } });
  const faults = faultsOf({
    nodes: [node('a', config), node('b')],
    edges: [{ from: 'a.done', to: 'b.start' }, ...edges],
  });
  expect(faults).toEqual([
    {
      loc: at('nodes', expect.any(Number)),
      type: 'value_error',
      msg: expect.stringMatching(/a → b → a|b → a → b/),
    },
  ]);
});

test('a graph of ten thousand nodes is refused for its size alone', () => {
  const nodes = Array.from({ length: 10_000 }, (_, index) => ({ ...query, id: `n${index}` }));
  expect(faultsOf({ nodes })).toEqual([{ loc: at('nodes'), type: 'too_long', msg: expect.any(String) }]);
});

test('a chain of a hundred nodes is no cycle', () => {
  const nodes = Array.from({ length: 100 }, (_, index) => ({ ...query, id: `n${index}` }));
  const edges = nodes.slice(1).map(({ id }, index) => ({ from: `n${index}.done`, to: `${id}.start` }));
  expect(faultsOf({ nodes, edges })).toEqual([]);
});

test.each([[null], [1], ['text'], [[]], [{}], [{ nodes: 1 }], [{ version: 1, nodes: [null, 3, []] }]])(
  '%j is a fault, and nothing worse',
  (document) => {
    expect(validateGraph(document)).toHaveProperty('faults');
  },
);

test('types are named once, and each has the ports that it declares', () => {
  expect(new Set(nodeTypes.map(({ type }) => type)).size).toBe(nodeTypes.length);
  for (const { inputs, outputs } of nodeTypes) {
    const names = [...inputs, ...outputs].map(({ name }) => name);
    expect(names).not.toContain('start');
    expect(names).not.toContain('done');
  }
});

test('secrets are taken out, and asterisks leave what is stored', () => {
  const hook = (secret: unknown) => ({
    nodes: [
      { id: 'hook', type: 'webhook_delivery', name: 'Hook', config: { url: 'https://example.com', secret } },
      { id: 'sales', type: 'query', name: 'Sales', config: { sql: '********' } },
    ],
  });
  const { document, secrets } = takeSecrets(hook('a very secret word'), {});
  expect(JSON.stringify(document)).not.toContain('a very secret word');
  expect(document).toEqual(hook('********'));
  expect(secrets).toEqual({ hook: { secret: 'a very secret word' } });
  expect(takeSecrets(hook('********'), secrets)).toEqual({ document, secrets });
  expect(takeSecrets(hook('another secret word'), secrets).secrets).toEqual({
    hook: { secret: 'another secret word' },
  });
  expect(putSecrets(document, secrets)).toEqual(hook('a very secret word'));
  // If nothing is stored there is no secret, and it is reported as missing.
  const { document: without } = takeSecrets(hook('********'), {});
  expect(JSON.stringify(without)).not.toContain('secret');
});
