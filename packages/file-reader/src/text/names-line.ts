import type { SampleRecord } from './sample.ts';

/**
 * The names of a header for a table whose records usually have `width` fields. It is only repaired if it is
 * certain which name belongs to which column. If a header stays wider than the records, these are rejected as
 * too short.
 */
export function namesOf(
  header: SampleRecord,
  records: readonly SampleRecord[],
  width: number,
): { names: string[]; note: string | undefined } {
  const names = header.fields;
  const quoteNote = header.isBroken
    ? "The header has a quote that doesn't enclose a name. It is read as a character"
    : undefined;
  if (names.length === width) return { names, note: quoteNote };
  if (names.length > width) {
    const fewer = withoutEmpty(names, width);
    if (fewer === undefined) return { names, note: quoteNote };
    const note = `The header has ${names.length} names, but the records have ${width} fields. Empty names are left out`;
    return { names: fewer, note };
  }
  if (!areEmptyBehind(header, records, names.length, width)) return { names, note: quoteNote };
  const more = Array.from({ length: width - names.length }, () => '');
  const note = `The header has ${names.length} names, but the records have ${width} fields, and the last of them are empty. The columns without a name are numbered`;
  return { names: [...names, ...more], note };
}

/** The names without empty ones at the end, or without any empty ones, if that leaves `width`. */
function withoutEmpty(names: readonly string[], width: number): string[] | undefined {
  const isEmpty = (name: string): boolean => name.trim() === '';
  if (names.slice(width).every(isEmpty)) return names.slice(0, width);
  const full = names.filter((name) => !isEmpty(name));
  return full.length === width ? full : undefined;
}

/** Whether no record has a value after the last name, because each ends with separators. */
export function areEmptyBehind(
  header: SampleRecord,
  records: readonly SampleRecord[],
  from: number,
  width: number,
): boolean {
  const others = records.filter(
    (record) => record.line > header.line && !record.isBroken && record.fields.length === width,
  );
  return (
    others.length > 0 &&
    others.every(({ fields }) => fields.slice(from).every((field) => field.trim() === ''))
  );
}
