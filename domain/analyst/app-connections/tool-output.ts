import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Redaction } from '../../../data/outgoing/redaction.ts';
import { isDeeper } from './listed-tool.ts';

const maxCharacters = 50_000;
const maxNotes = 20;
const maxDepth = 64;

/** A tool's answer, for a model. */
export interface ToolOutput {
  /** Its structured answer, if there is one and it is small enough. */
  data?: unknown;
  text?: string;
  /** Whether `text` is only the beginning. */
  isCut?: true;
  /** Descriptions of omitted content. */
  leftOut?: string[];
}

export function readOutput(
  { content = [], structuredContent }: CallToolResult,
  redaction: Redaction,
): ToolOutput {
  const texts: string[] = [];
  const leftOut: string[] = [];
  for (const block of content) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'resource' && 'text' in block.resource) texts.push(block.resource.text);
    else if (leftOut.length < maxNotes) leftOut.push(redaction.text(storable(noteOf(block))));
  }
  const data = fits(structuredContent) ? redaction.value(structuredContent) : undefined;
  // Redacted before it is cut, so that no part of a secret remains at the end.
  const text = redaction.text(storable(texts.join('\n\n')));
  // A structured answer also includes its JSON as text, for clients that only read text.
  const isRepeated = data !== undefined && isJsonOf(text, data);
  return {
    ...(data === undefined ? {} : { data }),
    ...(isRepeated || (text === '' && data !== undefined) ? {} : { text: beginning(text) }),
    ...(!isRepeated && text.length > maxCharacters ? { isCut: true as const } : {}),
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
}

function fits(value: unknown): boolean {
  if (value === undefined || isDeeper(value, maxDepth)) return false;
  return JSON.stringify(value).length <= maxCharacters;
}

/** Text that PostgreSQL can store, because a tool's text becomes part of a conversation. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function isJsonOf(text: string, data: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(data);
  } catch {
    return false;
  }
}

function beginning(text: string): string {
  return text.length <= maxCharacters ? text : text.slice(0, maxCharacters).toWellFormed();
}

function noteOf(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'image':
    case 'audio':
      return `${block.type} of the type ${block.mimeType.slice(0, 100)}, ${block.data.length} characters of base64`;
    case 'resource_link':
      return `link to ${block.uri.slice(0, 500)}`;
    default:
      return `content of the type ${block.type}`;
  }
}
