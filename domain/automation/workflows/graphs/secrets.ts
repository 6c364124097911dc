import { isRawNumber } from '../../../../data/exact-json.ts';
import { findNodeType } from './node-types.ts';

/** A secret reads back as this; written, it keeps the stored secret. */
export const hidden = '********';

/** By node and config member. */
export type NodeSecrets = Record<string, Record<string, string>>;

type Json = Record<string, unknown>;

const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/**
 * Separates a document from its secrets. Asterisks take the stored secret; if there is none, the member is
 * left out, and the validation reports it as missing.
 */
export function takeSecrets(document: Json, stored: NodeSecrets): { document: Json; secrets: NodeSecrets } {
  const secrets: NodeSecrets = {};
  const shown = mapConfigs(document, (node, key, value) => {
    const id = String(node['id']);
    const kept = stored[id];
    const secret = value === hidden ? (kept && Object.hasOwn(kept, key) ? kept[key] : undefined) : value;
    if (typeof secret !== 'string') return secret;
    secrets[id] = { ...secrets[id], [key]: secret };
    return hidden;
  });
  return { document: shown, secrets };
}

/** The document with its secrets inserted. */
export function putSecrets(document: Json, secrets: NodeSecrets): Json {
  return mapConfigs(document, (node, key, value) => {
    const own = secrets[String(node['id'])];
    return value === hidden && own !== undefined && Object.hasOwn(own, key) ? own[key] : value;
  });
}

/**
 * Maps every secret member of every config; undefined removes it. A document that is not a graph is
 * unchanged.
 */
function mapConfigs(document: Json, change: (node: Json, key: string, value: unknown) => unknown): Json {
  const { nodes } = document;
  if (!Array.isArray(nodes)) return document;
  return {
    ...document,
    nodes: nodes.map((node: unknown) => {
      if (!isMap(node) || !isMap(node['config'])) return node;
      const keys = findNodeType(node['type'])?.secretKeys ?? [];
      const config = { ...node['config'] };
      for (const key of keys) {
        if (!Object.hasOwn(config, key)) continue;
        const value = change(node, key, config[key]);
        if (value === undefined) delete config[key];
        else config[key] = value;
      }
      return { ...node, config };
    }),
  };
}
