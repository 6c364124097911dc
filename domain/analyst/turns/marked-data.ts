import { createHash } from 'node:crypto';

/**
 * In a prompt, content from tables, files and tools is placed between marks that it cannot know, so that it
 * cannot pose as anything but data. The mark is the same in every attempt of a turn.
 */
export function marksOf(messageId: string): { open: string; close: string } {
  const mark = createHash('sha256').update(`data of ${messageId}`).digest('hex').slice(0, 16);
  return { open: `<data-${mark}>`, close: `</data-${mark}>` };
}

export function markData(messageId: string, json: string): string {
  const { open, close } = marksOf(messageId);
  return `${open}\n${json}\n${close}`;
}
