import type { Column } from './catalog.ts';
import type { Reference } from './question.ts';
import { pick, type Scope, timeColumnOf } from './scope.ts';

/** Findings during resolution; any entry in `trouble` means that the question is not answered. */
export interface Findings {
  trouble: string[];
  notes: string[];
}

/** The named date column, or the table's own; adds a note about the choice if there are several. */
export function timeColumn(
  reference: Reference | undefined,
  scope: Scope,
  findings: Findings,
): Column | undefined {
  if (reference !== undefined) return taken(pick(scope, reference, 'time'), findings);
  const found = timeColumnOf(scope);
  if (found === undefined) {
    findings.trouble.push(`“${scope.base.name}” has no column of dates.`);
    return undefined;
  }
  if (found.others.length > 0) {
    const others = found.others.map(({ name }) => `“${name}”`).join(', ');
    findings.notes.push(`I took the dates from “${found.column.name}” (there is also ${others}).`);
  }
  return found.column;
}

export function taken(picked: ReturnType<typeof pick>, findings: Findings): Column | undefined {
  if (picked.trouble !== undefined) findings.trouble.push(picked.trouble);
  return picked.column;
}
