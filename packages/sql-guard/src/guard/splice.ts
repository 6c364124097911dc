import { uninspectable } from './refusal.ts';

/**
 * Replaces text where the parser found a table's name. The rest of the statement stays as written, which
 * preserves the meaning of its column names, joins and quoting: the engine's own printing of a tree loses
 * parentheses (`a LEFT JOIN (b CROSS JOIN c)`).
 */
export interface TableEdit {
  /** Byte offset of the name's first part. */
  offset: number;
  replacement: string;
  /** Used instead directly after DESCRIBE or SUMMARIZE, which take a table or a SELECT. */
  replacementWhenDescribed: string;
}

const identifier = `(?:"(?:[^"]|"")*"|[eE]?'(?:[^']|'')*'|[A-Za-z_\\x80-\\xff][\\w$\\x80-\\xff]*)`;
const blank = '(?:\\s|--[^\\n]*\\n|/\\*(?:[^*]|\\*(?!/))*\\*/)*';
const qualifiedName = new RegExp(`${identifier}(?:${blank}\\.${blank}${identifier})*`, 'y');
const namePart = new RegExp(identifier, 'g');
const describes = new RegExp(`\\b(?:describe|desc|show|summarize)${blank}$`, 'i');

export function splice(sql: string, edits: readonly TableEdit[]): string {
  if (edits.length === 0) return sql;
  // One character per byte, since the parser counts bytes.
  const bytes = Buffer.from(sql, 'utf8').toString('latin1');
  const parts: string[] = [];
  let end = 0;
  for (const edit of [...edits].sort((left, right) => left.offset - right.offset)) {
    qualifiedName.lastIndex = edit.offset;
    const name = edit.offset >= end ? qualifiedName.exec(bytes)?.[0] : undefined;
    if (name === undefined) throw uninspectable('A table name');
    const before = bytes.slice(end, edit.offset);
    const replacement = describes.test(before) ? edit.replacementWhenDescribed : edit.replacement;
    parts.push(before, Buffer.from(replacement, 'utf8').toString('latin1'));
    end = edit.offset + name.length;
  }
  parts.push(bytes.slice(end));
  return Buffer.from(parts.join(''), 'latin1').toString('utf8');
}

/** Reads the parts of the qualified names of a text, as they are written, by the byte offset of each. */
export function nameReader(sql: string): (offset: number) => string[] {
  const bytes = Buffer.from(sql, 'utf8').toString('latin1');
  return (offset) => {
    qualifiedName.lastIndex = offset;
    const name = qualifiedName.exec(bytes)?.[0] ?? '';
    const parts = name.matchAll(namePart);
    return [...parts].map(([part]) => Buffer.from(part, 'latin1').toString('utf8'));
  };
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
