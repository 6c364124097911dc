/** The input of a call as a model wrote it: an object, or why it is none. */
export type WrittenInput = { input: Record<string, unknown> } | { fault: string };

const fence = '```';
/** A text in a text in a text is no mistake that models make. */
const mostTimesEncoded = 2;

/**
 * Reads the input of a tool. What is nearly JSON is repaired where it has only one reading: line breaks
 * within texts, commas before a closing bracket, a fence of Markdown around it, an object that was encoded
 * twice.
 */
export function readInput(written: unknown, timesEncoded = 0): WrittenInput {
  if (isObject(written)) return { input: written };
  if (typeof written !== 'string')
    return {
      fault: `It is ${written === null ? 'null' : Array.isArray(written) ? 'a list' : `a ${typeof written}`}.`,
    };
  const text = withoutFence(written.trim());
  // A tool without parameters is called with nothing.
  if (text === '') return { input: {} };
  const parsed = parse(text) ?? parse(repaired(text));
  if (parsed === undefined) return { fault: faultOf(text) };
  if (typeof parsed.value === 'string' && timesEncoded === mostTimesEncoded)
    return { fault: 'It is a string.' };
  return readInput(parsed.value, timesEncoded + 1);
}

/** What a model is told of an input that cannot be read; it may not see its own call otherwise. */
export function unreadableInput(written: unknown, fault: string): string {
  const shown = typeof written === 'string' ? written : (JSON.stringify(written) ?? 'nothing');
  return `The input isn't a JSON object. ${fault} You sent: ${shown.slice(0, maxShown).toWellFormed()}`;
}

const maxShown = 1_500;

function withoutFence(text: string): string {
  if (text.length < 2 * fence.length || !text.startsWith(fence) || !text.endsWith(fence)) return text;
  const from = text.indexOf('\n');
  return from === -1 ? text : text.slice(from + 1, -fence.length).trim();
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return `${(error as Error).message.slice(0, 200)}.`;
  }
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Control characters within texts are escaped, and commas before a closing bracket left out. */
function repaired(text: string): string {
  const parts: string[] = [];
  let isInText = false;
  let isEscaped = false;
  /** Place of the last comma with nothing but white space after it. */
  let comma = -1;
  for (const sign of text) {
    if (isInText) {
      const code = sign.charCodeAt(0);
      parts.push(code < 0x20 ? (escapes[sign] ?? `\\u${code.toString(16).padStart(4, '0')}`) : sign);
      if (!isEscaped && sign === '"') isInText = false;
      isEscaped = !isEscaped && sign === '\\';
      continue;
    }
    if ((sign === '}' || sign === ']') && comma !== -1) parts[comma] = '';
    if (sign === ',') comma = parts.length;
    else if (sign.trim() !== '') comma = -1;
    isInText = sign === '"';
    parts.push(sign);
  }
  return parts.join('');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
