import type { MessagePart } from '../conversations/messages.ts';

export interface DeliveredAnswer {
  /** Of its first heading, or how it begins. */
  title: string;
  /** Markdown. */
  content: string;
}

const maxTitle = 200;

/**
 * What an unattended turn delivers: what was said in its last step, and the charts that it drew and does not
 * show there.
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
  const title = line.replace(/^#{1,6} /, '').trim();
  const characters = [...title];
  if (characters.length === 0) return 'Report';
  return characters.length <= maxTitle ? title : `${characters.slice(0, maxTitle - 1).join('')}…`;
}
