import { BadFileError } from '../bad-file.ts';
import type { Warning } from '../contract.ts';

/** Counts formulas whose values a workbook does not keep, because the program that wrote it computed none. */
export interface FormulaCount {
  /** The columns of a row with a value, and those with such a formula. */
  count(valued: readonly string[], unkept: readonly string[]): void;
  /** @throws BadFileError if a column has nothing but such formulas, and the sheet was read to its end */
  warnings(isAtEnd: boolean): Warning[];
}

export function countFormulas(sheet: string): FormulaCount {
  const valued = new Set<string>();
  const counts = new Map<string, number>();
  return {
    count(withValue, unkept) {
      for (const column of withValue) valued.add(column);
      for (const column of unkept) counts.set(column, (counts.get(column) ?? 0) + 1);
    },
    warnings(isAtEnd) {
      return [...counts].map(([column, count]) => {
        const cells = count === 1 ? '1 cell' : `${count} cells`;
        const message = `Column ${JSON.stringify(column)} of sheet ${JSON.stringify(sheet)} has ${cells} with a formula and no value`;
        if (isAtEnd && !valued.has(column))
          throw new BadFileError(
            'formulas_without_value',
            `${message}, and no cell with a value. Open the workbook in a spreadsheet program and save it, so that it keeps the values.`,
            { column },
          );
        return {
          ...{ code: 'formulas_without_value' as const, sheet, column, count },
          message: `${message}. They are read as null. Open the workbook in a spreadsheet program and save it, so that it keeps the values.`,
        };
      });
    },
  };
}
