import { Resvg } from '@resvg/resvg-js';
import { beforeAll, expect, test } from 'vitest';
import type { LineageGraph, LineageNode } from '../../../../domain/tables/lineage/graph.ts';
import { shaping } from '../../../support/calculated.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;
let on: ReturnType<typeof shaping>;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
});

const named = (id: string, name = id): LineageNode => ({
  id,
  kind: 'view',
  name,
  tableKind: null,
  status: 'valid',
  version: null,
});

function star(count: number): Pick<LineageGraph, 'nodes' | 'edges'> {
  const nodes = Array.from({ length: count }, (_, index) => named(`n${index}`));
  return { nodes, edges: nodes.slice(1).map(({ id }) => ({ from: 'n0', to: id, columns: [] })) };
}

test('a picture has boxes and arrows only, and no name is read as markup', async () => {
  const name = '</text><script>alert(1)</script>&"\'';
  await on.data(name, { a: 'INTEGER' });
  const view = await on.view('drawn', `SELECT a FROM "${name.replaceAll('"', '""')}"`);
  const answer = await client.call('GET', `/v1/views/${view}/lineage?format=svg`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers['content-type']).toBe('image/svg+xml');
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  const svg = answer.text;
  const elements = new Set([...svg.matchAll(/<([a-zA-Z]+)/g)].map(([, element]) => element));
  expect([...elements].toSorted()).toEqual(
    ['defs', 'g', 'marker', 'path', 'rect', 'style', 'svg', 'text', 'title'].toSorted(),
  );
  expect(svg).not.toMatch(/href|@import|@font-face|\son[a-z]+=/i);
  expect([...svg.matchAll(/url\(([^)]*)\)/g)].map(([, address]) => address)).toEqual(['#head']);
  expect(svg).toContain('&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;');
  expect(svg).toContain('prefers-color-scheme: dark');
  expect(svg.match(/class="box"/g)).toHaveLength(2);
  expect(svg.match(/class="edge"/g)).toHaveLength(1);
  expect(svg).toContain('>view · valid<');
  expect(svg).toContain('>data table<');
  const { width, height } = new Resvg(svg);
  expect(width).toBeGreaterThan(height);
});

test('a graph of more boxes than a picture takes is refused, saying what to ask for instead', async () => {
  const { organizationId } = client;
  const draw = (count: number) => workspace.deps.lineagePictures.svg(organizationId, star(count), 'n0');
  expect((await draw(100)).match(/class="box"/g)).toHaveLength(100);
  await expect(draw(501)).rejects.toMatchObject({
    code: 'unsupported_option',
    message: expect.stringContaining('Lower depth'),
  });
});
