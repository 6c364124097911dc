import type { Block, ReportBlocks } from '../block.ts';
import type { ReportSource } from '../contract.ts';
import type { MailBounds, MailPart } from './contract.ts';
import { allOf, heading, mailWriter } from './elements.ts';
import { escaped } from './page.ts';
import { collectPictures } from './pictures.ts';

/** The blocks as a part of a mail, below their title. */
export async function mailPartOf(
  { title }: ReportSource,
  { blocks, notes }: ReportBlocks,
  { htmlBytes, pictureBytes, tableRows }: MailBounds,
): Promise<MailPart> {
  const { place, pictures } = collectPictures(pictureBytes);
  const { many } = mailWriter({ tableRows, place });
  const top = title.trim() === '' ? '' : heading(1, escaped(title));
  const left = htmlBytes - Buffer.byteLength(top);
  const body = many(blocks, left);
  const below = body.isFull ? allOf('') : many(footnotes(notes), left - Buffer.byteLength(body.html));
  return {
    html: top + body.html + below.html,
    pictures: pictures(),
    isCut: !body.isWhole || !below.isWhole,
  };
}

const footnotes = (notes: ReportBlocks['notes']): Block[] => {
  if (notes.length === 0) return [];
  const items = notes.map((blocks) => ({ isChecked: undefined, blocks }));
  return [{ type: 'rule' }, { type: 'list', isOrdered: true, isTight: true, start: 1, items }];
};
