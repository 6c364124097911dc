import type { components, operations } from '../../../../clients/typescript/src/index.ts';
import type { Parameters } from '../parameters.ts';

export type Workflow = components['schemas']['Workflow'];
export type Run = components['schemas']['Run'];
export type NodeType =
  operations['listWorkflowNodeTypes']['responses'][200]['content']['application/json']['items'][number];

type Json = Record<string, unknown>;

export interface GraphNode extends Json {
  id: string;
  type: string;
  name: string;
  config: Json;
}

/** Its ends are written `node.port`. */
export interface Edge {
  from: string;
  to: string;
}

export interface Graph extends Json {
  parameters: Parameters;
  nodes: readonly GraphNode[];
  edges: readonly Edge[];
}

export type ChangeGraph = (how: (before: Graph) => Graph) => void;

const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const parameterTypes = new Set(['string', 'number', 'boolean', 'date', 'table']);

/** The graph of a draft, which may have any form; undefined for one that cannot be edited here. */
export function readGraph(document: Json): Graph | undefined {
  const { parameters = {}, nodes = [], edges = [] } = document;
  if (!isMap(parameters) || !Array.isArray(nodes) || !Array.isArray(edges)) return undefined;
  const isReadable =
    nodes.every((node) => isMap(node) && [node['id'], node['type'], node['name']].every(isText)) &&
    nodes.every(({ config = {} }) => isMap(config)) &&
    new Set(nodes.map(({ id }) => id)).size === nodes.length &&
    edges.every((edge) => isMap(edge) && isText(edge['from']) && isText(edge['to'])) &&
    Object.values(parameters).every((one) => isMap(one) && parameterTypes.has(String(one['type'])));
  if (!isReadable) return undefined;
  return {
    ...document,
    parameters: Object.fromEntries(
      Object.entries(parameters).map(([name, parameter]) => [
        name,
        { required: false, description: '', default: null, ...(parameter as object) },
      ]),
    ) as Parameters,
    nodes: nodes.map((node) => ({ ...node, config: node.config ?? {} })),
    edges,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

export const emptyGraph = { version: 1, parameters: {}, nodes: [], edges: [] };

/** An end of an edge: its node and its port. */
export function splitEnd(end: string): [node: string, port: string] {
  const dot = end.lastIndexOf('.');
  return dot < 0 ? [end, ''] : [end.slice(0, dot), end.slice(dot + 1)];
}

/** A graph with one more node, under an id that is free. */
export function withNode(graph: Graph, { type, label }: NodeType): [Graph, id: string] {
  const taken = new Set(graph.nodes.map(({ id }) => id));
  let id = type;
  for (let number = 2; taken.has(id); number += 1) id = `${type}_${number}`;
  return [{ ...graph, nodes: [...graph.nodes, { id, type, name: label, config: {} }] }, id];
}

/** Without a node, and without what was connected to it. */
export const withoutNode = (graph: Graph, id: string): Graph => ({
  ...graph,
  nodes: graph.nodes.filter((node) => node.id !== id),
  edges: graph.edges.filter(({ from, to }) => splitEnd(from)[0] !== id && splitEnd(to)[0] !== id),
});

export const withChange = (graph: Graph, id: string, part: Partial<GraphNode>): Graph => ({
  ...graph,
  nodes: graph.nodes.map((node) => (node.id === id ? { ...node, ...part } : node)),
});

/** With an edge, once. */
export const withEdge = (graph: Graph, { from, to }: Edge): Graph =>
  graph.edges.some((edge) => edge.from === from && edge.to === to)
    ? graph
    : { ...graph, edges: [...graph.edges, { from, to }] };

export const withoutEdge = (graph: Graph, { from, to }: Edge): Graph => ({
  ...graph,
  edges: graph.edges.filter((edge) => edge.from !== from || edge.to !== to),
});

export interface Ports {
  inputs: readonly string[];
  outputs: readonly string[];
}

/** The ports of each node: those of its type, those for order alone, and those that edges name wrongly. */
export function portsOf({ nodes, edges }: Shape, types: readonly NodeType[]): Map<string, Ports> {
  const known = new Map(types.map((type) => [type.type, type]));
  const [into, outOf] = [namedPorts(edges.map(({ to }) => to)), namedPorts(edges.map(({ from }) => from))];
  return new Map(
    nodes.map(({ id, type }) => {
      const { inputs = [], outputs = [] } = known.get(type) ?? {};
      return [
        id,
        {
          inputs: [...new Set([...inputs.map(({ name }) => name), 'start', ...(into.get(id) ?? [])])],
          outputs: [...new Set([...outputs.map(({ name }) => name), 'done', ...(outOf.get(id) ?? [])])],
        },
      ];
    }),
  );
}

/** What of a graph decides how it is drawn. */
export type Shape = Pick<Graph, 'nodes' | 'edges'>;

/** By node, the ports that these ends name. */
function namedPorts(ends: readonly string[]): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const [node, port] of ends.map(splitEnd)) named.set(node, [...(named.get(node) ?? []), port]);
  return named;
}
