import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../data/canonical-json.ts';
import type { JsonValue } from '../../../data/exact-json.ts';
import type { Redaction } from '../../../data/outgoing/redaction.ts';
import { limits } from '../../workspace/limits/limits.ts';

export const maxTools = limits.appConnections.tools.most;
const maxSchemaBytes = 32_768;
const maxDescriptionCharacters = 4_000;
const maxNameCharacters = 128;
const maxTitleCharacters = 200;
const maxDepth = 32;
/** A server's hints about a tool, in addition to its texts and its schema. */
const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
const legalName = /^[A-Za-z0-9_./-]{1,128}$/;

/** A tool as its server lists it, within bounds. */
export interface ListedTool {
  name: string;
  title: string | null;
  description: string;
  /** Undefined if it cannot be shown to a model. */
  inputSchema: Record<string, unknown> | undefined;
  isReadOnly: boolean;
  /** Why it cannot be offered. */
  refusal: string | null;
  /** Hash of everything that a decision is based on. */
  fingerprint: string;
}

/**
 * Reads a server's list of tools. Tools that share a name are refused, because they cannot be distinguished.
 */
export function readListed(listed: readonly unknown[], redaction: Redaction): ListedTool[] {
  const tools = new Map<string, ListedTool>();
  for (const raw of listed) {
    const tool = readTool(raw, redaction);
    const twin = tools.get(tool.name);
    if (twin === undefined) tools.set(tool.name, tool);
    else {
      const fingerprint = sha256([twin.fingerprint, tool.fingerprint].sort().join());
      tools.set(tool.name, {
        ...twin,
        refusal: 'The server lists several tools with this name.',
        fingerprint,
      });
    }
  }
  return [...tools.values()];
}

function readTool(raw: unknown, redaction: Redaction): ListedTool {
  const member = (name: string): unknown => Reflect.get(Object(raw), name);
  const annotations = Object(member('annotations')) as Record<string, unknown>;
  // Redacted before it is cut, so that no part of a secret remains at the end.
  const text = (value: unknown) => redaction.text(textOf(value));
  const name = text(member('name'));
  const description = text(member('description'));
  const title = text(member('title')) || text(annotations['title']);
  const shape = readSchema(member('inputSchema'));
  const schema = shape.schema === undefined ? undefined : redaction.value(shape.schema);
  return {
    name: cut(name, maxNameCharacters) || '(no name)',
    title: title === '' ? null : cut(title, maxTitleCharacters),
    description: cut(description, maxDescriptionCharacters),
    inputSchema: schema,
    isReadOnly: annotations['readOnlyHint'] === true,
    refusal: legalName.test(name)
      ? refusalOf(raw, shape.refusal)
      : "The name of the tool isn't allowed in MCP.",
    // A refused schema is hashed by its refusal, so the tool counts as changed once it can be offered.
    fingerprint: sha256(
      canonicalJson([
        ...[name, title, description],
        (schema as JsonValue | undefined) ?? shape.refusal,
        hints.map((hint) => (typeof annotations[hint] === 'boolean' ? annotations[hint] : null)),
      ]),
    ),
  };
}

function refusalOf(raw: unknown, schemaRefusal: string | null): string | null {
  const execution = Object(Reflect.get(Object(raw), 'execution')) as Record<string, unknown>;
  return execution['taskSupport'] === 'required'
    ? "The tool can only run as an MCP task, which this service doesn't support."
    : schemaRefusal;
}

function readSchema(schema: unknown): {
  schema: Record<string, unknown> | undefined;
  refusal: string | null;
} {
  const no = (refusal: string) => ({ schema: undefined, refusal });
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return no("The input schema of the tool isn't a JSON Schema object.");
  if (Reflect.get(schema, 'type') !== 'object')
    return no('The input schema of the tool doesn\'t have the type "object".');
  if (isDeeper(schema, maxDepth))
    return no(`The input schema of the tool is nested more than ${maxDepth} levels deep.`);
  if (Buffer.byteLength(JSON.stringify(schema)) > maxSchemaBytes)
    return no(`The input schema of the tool is larger than ${maxSchemaBytes / 1_024} KiB.`);
  return { schema: schema as Record<string, unknown>, refusal: null };
}

/** Checks at most this many levels, so that a server's data cannot exhaust the stack. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Text that PostgreSQL can store. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : '';
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, characters).toWellFormed();
}
