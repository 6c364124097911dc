import { inflateSync } from 'node:zlib';
import { drawingPng } from './png.ts';

export interface Picture {
  type: 'png' | 'jpg';
  bytes: Uint8Array;
  width: number;
  height: number;
}

/** Its pixels use memory that no thread limit covers. */
const maxPixels = 16_000_000;
const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG or JPEG that every document reader supports; undefined if it is neither, broken or too large. */
export function pictureOf(bytes: Uint8Array): Picture | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const picture = data.subarray(0, 8).equals(pngSignature) ? png(data) : jpeg(data);
    if (picture === undefined || picture.width < 1 || picture.height < 1) return undefined;
    return picture;
  } catch {
    return undefined;
  }
}

const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/**
 * Decompresses its data once, so that a broken image is not detected only when half of the document is
 * written.
 */
function png(data: Buffer): Picture | undefined {
  if (data.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  const [width, height] = [data.readUInt32BE(16), data.readUInt32BE(20)];
  const [bits, color, , , interlaced] = data.subarray(24, 29);
  if (width * height > maxPixels || channels[color!] === undefined) return undefined;
  const parts: Buffer[] = [];
  let isTransparent = false;
  let at = 8;
  for (;;) {
    const length = data.readUInt32BE(at);
    const type = data.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') parts.push(data.subarray(at + 8, at + 8 + length));
    if (type === 'tRNS') isTransparent = true;
    if (type === 'IEND') break;
    at += 12 + length;
  }
  const rowBytes = Math.ceil((width * channels[color!]! * bits!) / 8) + 1;
  const pixels = inflateSync(Buffer.concat(parts), { maxOutputLength: 2 * rowBytes * height + 1_048_576 });
  if (interlaced === 0 && pixels.length < rowBytes * height) return undefined;
  const isPlain = interlaced === 0 && bits === 8 && (color === 0 || color === 2) && !isTransparent;
  if (isPlain) return { type: 'png', bytes: data, width, height };
  // The document writer would decompress all other kinds, so they are converted to one that decompresses
  // predictably.
  const href = `data:image/png;base64,${data.toString('base64')}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image href="${href}" width="${width}" height="${height}"/></svg>`;
  return { type: 'png', bytes: drawingPng(svg, 1), width, height };
}

/** Size and rotation are in its markers; the rest is embedded unchanged. */
function jpeg(data: Buffer): Picture | undefined {
  if (data.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at < data.length) {
    if (data[at] !== 0xff) return undefined;
    const marker = data[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      const [height, width] = [data.readUInt16BE(at + 5), data.readUInt16BE(at + 7)];
      return width * height > maxPixels ? undefined : { type: 'jpg', bytes: data, width, height };
    }
    at += marker === 0xff ? 1 : 2 + data.readUInt16BE(at + 2);
  }
  return undefined;
}
