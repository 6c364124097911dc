import { type Graph, type GraphNode, withChange } from '../graph.ts';
import type { NodeFault } from '../use-check.ts';

export type Schema = Readonly<Record<string, unknown>>;
export type Kind =
  | 'line'
  | 'long'
  | 'secret'
  | 'choice'
  | 'number'
  | 'boolean'
  | 'id'
  | 'ids'
  | 'lines'
  | 'json';
export type Choices = 'playbooks' | 'tables' | 'datasets';

/** A secret reads as this; sent back, it keeps what is stored. */
export const hidden = '********';

const long = new Set(['sql', 'prompt', 'content', 'text', 'message']);
/** The schema does not say which members are secret. */
const secret = new Set(['secret', 'webhook_url']);
const chosen: Readonly<Record<string, Choices>> = {
  playbook_id: 'playbooks',
  table_id: 'tables',
  table_ids: 'tables',
  dataset_id: 'datasets',
  dataset_ids: 'datasets',
};

/** What an id is chosen from; undefined where it is written. */
export const choicesOf = (name: string): Choices | undefined =>
  Object.hasOwn(chosen, name) ? chosen[name] : undefined;

/** By what control a member is edited: as JSON, where none fits its schema or the value that it has. */
export function kindOf(name: string, { type, enum: values, items }: Schema, value: unknown): Kind {
  const isUnset = value === undefined;
  if (type === 'string') {
    if (!isUnset && typeof value !== 'string') return 'json';
    if (Array.isArray(values)) return 'choice';
    if (secret.has(name) || value === hidden) return 'secret';
    if (choicesOf(name) !== undefined) return 'id';
    return long.has(name) ? 'long' : 'line';
  }
  if (type === 'integer' || type === 'number')
    return isUnset || typeof value === 'number' ? 'number' : 'json';
  if (type === 'boolean') return isUnset || typeof value === 'boolean' ? 'boolean' : 'json';
  const isOfTexts = type === 'array' && (items as Schema | undefined)?.['type'] === 'string';
  if (isOfTexts && (isUnset || (Array.isArray(value) && value.every(isLine))))
    return choicesOf(name) === undefined ? 'lines' : 'ids';
  return 'json';
}

const isLine = (value: unknown): boolean => typeof value === 'string' && !value.includes('\n');

/** The members that a config may have by its schema, and those that it has besides. */
export function membersOf(schema: Schema | undefined, config: GraphNode['config']): [string, Schema][] {
  const known = Object.entries((schema?.['properties'] ?? {}) as Record<string, Schema>);
  const names = new Set(known.map(([name]) => name));
  const others = Object.keys(config).filter((name) => !names.has(name));
  return [...known, ...others.map((name): [string, Schema] => [name, {}])];
}

/** A graph in which a member of a node's config is set; undefined takes it out. */
export function withMember(graph: Graph, id: string, name: string, value: unknown): Graph {
  const config = graph.nodes.find((node) => node.id === id)?.config;
  if (config === undefined) return graph;
  const { [name]: _, ...others } = config;
  return withChange(graph, id, {
    config: value === undefined ? others : { ...config, [name]: value },
  });
}

const isWithin = ({ place }: NodeFault, at: string): boolean => place === at || place.startsWith(`${at}.`);

/** What the service says of a place and of what is within it; undefined where it says nothing. */
export function saidAt(faults: readonly NodeFault[], at: string): string | undefined {
  const said = faults
    .filter((fault) => isWithin(fault, at))
    .map(({ place, msg }) => (place === at ? msg : `${place.slice(at.length + 1)}: ${msg}`));
  return said.length === 0 ? undefined : said.join('\n');
}

/** What it says of other places. */
export const besides = (faults: readonly NodeFault[], places: readonly string[]): NodeFault[] =>
  faults.filter((fault) => !places.some((at) => isWithin(fault, at)));
