import type { MessagePart } from '../conversations/messages.ts';

export interface DeliveredAnswer {
  /** Its first heading, or its beginning. */
  title: string;
  /** Markdown. */
  content: string;
}

const maxTitle = 200;

/**
 * What an unattended turn delivers: the text of its last step, and charts it drew that this text does not
 * show.
 */
export function answerOf(parts: readonly MessagePart[]): DeliveredAnswer {
  const lastStep = Math.max(...parts.map(({ step }) => step));
  const said = parts.filter(({ type, step }) => type === 'text' && step === lastStep).map(({ text }) => text);
  const text = said.join('\n\n').trim();
  const charts = parts
    .filter(({ type, resource_id: id }) => type === 'chart' && id !== null && !text.includes(`chart:${id}`))
    .map(({ title, resource_id: id }) => `![${altText(title ?? '')}](chart:${id})`);
  return { title: titleOf(text), content: [text, ...charts].join('\n\n').concat('\n') };
}

const altText = (title: string): string => title.replace(/[[\]\\\r\n]/g, ' ');

function titleOf(text: string): string {
  const [line = ''] = text.split('\n', 1);
  // A title is plain text: its emphasis is left out.
  const title = line
    .replace(/^#{1,6} /, '')
    .replaceAll(/\*\*|__|`/g, '')
    .trim();
  const characters = [...title];
  if (characters.length === 0) return 'Report';
  return characters.length <= maxTitle ? title : `${characters.slice(0, maxTitle - 1).join('')}…`;
}
