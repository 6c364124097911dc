import type { Expected, ParameterValue } from '../../../domain/publishing/saved-queries/parameters.ts';
import { Html, html } from '../../pages/html.ts';

/** What a form asks for: a filter of a dashboard, or a parameter of a query. */
export interface Asked extends Expected {
  name: string;
  label: string;
}

type Sent = Readonly<Record<string, unknown>>;

/** Values of a query string by their types; what isn't asked for is ignored. Checked where they are used. */
export function sentValues(asked: readonly Asked[], query: Sent): Record<string, unknown> {
  const values: [string, unknown][] = [];
  for (const { name, type } of asked) {
    const sent = Object.hasOwn(query, name) ? [query[name]].flat().map(String) : [];
    const [first = ''] = sent;
    if (sent.every((text) => text === '')) continue;
    if (type === 'list') values.push([name, sent.length > 1 ? sent : first.split(',')]);
    else if (type === 'number') values.push([name, numberOf(first)]);
    else if (type === 'boolean')
      values.push([name, first === 'true' ? true : first === 'false' ? false : first]);
    else values.push([name, first]);
  }
  return Object.fromEntries(values);
}

function numberOf(text: string): number | string {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : text;
}

/** Fields with the values that the page was made with. */
export function filterForm(asked: readonly Asked[], values: Sent): Html | undefined {
  if (asked.length === 0) return undefined;
  const fields = asked.map(({ name, label, type, default: fallback }) => {
    const value = textOf((Object.hasOwn(values, name) ? values[name] : fallback) as ParameterValue | null);
    const input =
      type === 'boolean'
        ? html`<select name="${name}">${['', 'true', 'false'].map(
            (option) =>
              html`<option${option === value ? new Html(' selected') : undefined}>${option}</option>`,
          )}</select>`
        : html`<input name="${name}" value="${value}"${new Html(inputType(type))}>`;
    return html`<label>${label}${input}</label>`;
  });
  return html`<form method="get">${fields}<button>Apply</button></form>`;
}

function inputType(type: Asked['type']): string {
  if (type === 'date') return ' type="date"';
  return type === 'number' ? ' type="number" step="any"' : '';
}

function textOf(value: ParameterValue | null): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'object' ? value.rawJSON : String(value);
}
