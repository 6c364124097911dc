import type { Command } from './command.ts';
import type { Token } from './lexer.ts';

const unreadable: Command = { kind: 'unsupported', what: 'This form of COPY' };

export function copyCommand(sql: string, tokens: readonly Token[]): Command {
  const source = sourceOf(sql, tokens);
  if (source === undefined) return unreadable;
  const [direction, target, ...options] = tokens.slice(source.next);
  if (direction?.value === 'from') return { kind: 'write', verb: 'COPY FROM' };
  if (direction?.value !== 'to') return unreadable;
  if (target?.value !== 'stdout') return { kind: 'unsupported', what: 'COPY to a file or a program' };
  const chosen = optionsOf(options);
  if (chosen === undefined) return unreadable;
  const form = chosen.get('format') ?? 'text';
  if (form !== 'text' && form !== 'csv') return { kind: 'unsupported', what: `COPY in the format ${form}` };
  const header = chosen.get('header');
  return {
    ...{ kind: 'copy', sql: source.sql, form },
    delimiter: chosen.get('delimiter') ?? (form === 'csv' ? ',' : '\t'),
    null: chosen.get('null') ?? (form === 'csv' ? '' : '\\N'),
    quote: chosen.get('quote') ?? '"',
    hasHeader: header !== undefined && !/^(?:false|off|0)$/i.test(header),
  };
}

/** The SELECT, and the place of the token after it. */
function sourceOf(sql: string, tokens: readonly Token[]): { sql: string; next: number } | undefined {
  const [, open] = tokens;
  if (open?.text === '(') {
    let depth = 0;
    for (let at = 1; at < tokens.length; at += 1) {
      const { text, start } = tokens[at]!;
      depth += text === '(' ? 1 : text === ')' ? -1 : 0;
      if (depth === 0) return { sql: sql.slice(open.end, start).trim(), next: at + 1 };
    }
    return undefined;
  }
  const at = tokens.findIndex(({ kind, value }) => kind === 'word' && (value === 'to' || value === 'from'));
  if (at < 2) return undefined;
  const named = sql.slice(tokens[1]!.start, tokens[at - 1]!.end);
  const [, table, columns = '*'] = /^([^(]*)(?:\(([\s\S]*)\))?$/.exec(named) ?? [];
  return table === undefined ? undefined : { sql: `SELECT ${columns} FROM ${table.trim()}`, next: at };
}

/** `(FORMAT csv, HEADER)`, or the older form without brackets. */
function optionsOf(tokens: readonly Token[]): Map<string, string> | undefined {
  const options = new Map<string, string>();
  const inner = tokens.filter(({ text }) => !['(', ')', ','].includes(text));
  const words = inner.filter(({ kind, value }) => kind !== 'word' || !['with', 'as'].includes(value));
  for (let at = 0; at < words.length; at += 1) {
    const name = words[at]!.value;
    const next = words[at + 1];
    if (name === 'csv' || name === 'binary') options.set('format', name);
    else if (name === 'header') {
      const isValue = next !== undefined && /^(?:true|false|on|off|0|1|match)$/i.test(next.value);
      options.set('header', isValue ? next.value : 'true');
      if (isValue) at += 1;
    } else if (['format', 'delimiter', 'null', 'quote', 'escape', 'encoding'].includes(name) && next) {
      options.set(name, name === 'format' ? next.value.toLowerCase() : next.value);
      at += 1;
    } else return undefined;
  }
  return options;
}
