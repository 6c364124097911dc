import { ExternalHyperlink, FootnoteReferenceRun, type ParagraphChild, TextRun } from 'docx';
import { directedParts, hasRightToLeft, isRightToLeft } from '../bidi.ts';
import { printable } from '../characters.ts';
import type { Run } from '../inlines.ts';

export const codeFont = 'Consolas';

/** Paragraph options for right-to-left text. */
export const paragraphOptions = (text: string): { bidirectional?: boolean } =>
  isRightToLeft(text) ? { bidirectional: true } : {};

export const textOfRuns = (runs: readonly Run[]): string => runs.map(({ text }) => text).join('');

export function childrenOf(
  runs: readonly Run[],
  style: { bold?: boolean; size?: number } = {},
): ParagraphChild[] {
  return runs.flatMap((run): ParagraphChild[] => {
    if (run.note !== undefined) return [new FootnoteReferenceRun(run.note)];
    const texts = textRuns(run, style);
    return run.href === undefined ? texts : [new ExternalHyperlink({ link: run.href, children: texts })];
  });
}

function textRuns(run: Run, style: { bold?: boolean; size?: number }): TextRun[] {
  const text = printable(run.text);
  const shared = {
    ...style,
    ...(run.isBold === true ? { bold: true } : {}),
    ...(run.isItalic === true ? { italics: true } : {}),
    ...(run.isStruck === true ? { strike: true } : {}),
    ...(run.isCode === true ? { font: codeFont, shading: { fill: 'EEF0F3' } } : {}),
    ...(run.href === undefined ? {} : { style: 'Hyperlink' }),
  };
  const parts = hasRightToLeft(text) ? directedParts(text) : [{ text, level: 0 }];
  return parts.flatMap(({ text: part, level }) =>
    part.split('\n').map(
      (line, index) =>
        new TextRun({
          ...shared,
          text: line,
          ...(index === 0 ? {} : { break: 1 }),
          ...(level % 2 === 1 ? { rightToLeft: true } : {}),
        }),
    ),
  );
}
