import { createHash } from 'node:crypto';
import { drawnWithFonts } from '../drawn-with-fonts.ts';
import type { Shown } from '../inlines.ts';
import type { MailPicture } from './contract.ts';
import { contentWidth } from './page.ts';

export interface PlacedPicture {
  cid: string;
  width: number;
  height: number;
}

/** Twice as sharp as it is shown, for dense screens. */
const density = 2;

/** Collects the pictures of a mail: no client shows SVG, so drawings become PNG on white. */
export function collectPictures(mostBytes: number) {
  const pictures = new Map<string, MailPicture>();
  let leftBytes = mostBytes;

  return {
    pictures: () => [...pictures.values()],
    /** Undefined if it doesn't fit any more. */
    place(shown: Shown): PlacedPicture | undefined {
      if (shown.kind === 'result') return undefined;
      const size = shown.kind === 'drawing' ? shown.drawing : shown.picture;
      const scale = Math.min(1, contentWidth / size.width);
      const isPng = shown.kind === 'drawing' || shown.picture.type === 'png';
      const bytes =
        shown.kind === 'drawing'
          ? drawnWithFonts(shown.drawing.svg, density * scale, 'white')
          : shown.picture.bytes;
      // The same picture has the same id everywhere.
      const cid = `${createHash('sha256').update(bytes).digest('hex').slice(0, 40)}@picture`;
      if (!pictures.has(cid)) {
        if (bytes.length > leftBytes) return undefined;
        leftBytes -= bytes.length;
        pictures.set(cid, {
          cid,
          name: `picture-${pictures.size + 1}.${isPng ? 'png' : 'jpg'}`,
          contentType: isPng ? 'image/png' : 'image/jpeg',
          bytes,
        });
      }
      const side = (pixels: number) => Math.max(1, Math.round(pixels * scale));
      return { cid, width: side(size.width), height: side(size.height) };
    },
  };
}
