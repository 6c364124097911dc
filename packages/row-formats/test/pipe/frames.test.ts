import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createFrameReader, frameBytes, type PiecePart, writeFrame } from '../../src/pipe/frames.ts';
import { createOutflow } from '../../src/pipe/outflow.ts';
import type { MadePiece } from '../../src/writer.ts';

const pieces: MadePiece[] = [
  { chunks: [Buffer.from('a,b\r\n'), Buffer.from('1,2\r\n')], rowCount: 1 },
  { chunks: [], rowCount: 0, endsFile: true },
  { chunks: [Buffer.alloc(300, 'x')], rowCount: 70_000, endsFile: true },
  { chunks: [Buffer.from('y')], rowCount: 2 },
];

function framed(statementId: number, piece: MadePiece): Buffer {
  const memory = Buffer.alloc(frameBytes(piece) + 9);
  writeFrame(memory, statementId, piece);
  return memory.subarray(0, frameBytes(piece));
}

/** What the parts are together: a line for each piece. */
function joined(parts: readonly PiecePart[]) {
  const whole: { id: number; text: string; rows: number; endsFile: boolean }[] = [];
  let text = '';
  for (const part of parts) {
    text += Buffer.from(part.bytes).toString();
    if (!part.endsPiece) expect([part.rowCount, part.endsFile]).toEqual([0, false]);
    else {
      whole.push({ id: part.statementId, text, rows: part.rowCount, endsFile: part.endsFile === true });
      text = '';
    }
  }
  return whole;
}

test.each([1, 3, 15, 16, 17, 64, 1_000])(
  'pieces come whole out of a pipe read %i bytes at a time',
  (step) => {
    const bytes = Buffer.concat(pieces.map((piece, index) => framed(index + 7, piece)));
    const reader = createFrameReader();
    const parts: PiecePart[] = [];
    for (let at = 0; at < bytes.length; at += step) parts.push(...reader.read(bytes.subarray(at, at + step)));
    expect(joined(parts)).toEqual([
      { id: 7, text: 'a,b\r\n1,2\r\n', rows: 1, endsFile: false },
      { id: 8, text: '', rows: 0, endsFile: true },
      { id: 9, text: 'x'.repeat(300), rows: 70_000, endsFile: true },
      { id: 10, text: 'y', rows: 2, endsFile: false },
    ]);
  },
);

test('a piece is copied when it is sent, and memory is used again only when it has left', async () => {
  const pipe = new PassThrough({ highWaterMark: 1 });
  const outflow = createOutflow(pipe, 1);
  const reader = createFrameReader();
  const parts: PiecePart[] = [];
  pipe.on('data', (data: Buffer) => parts.push(...reader.read(Buffer.from(data))));
  const memory = Buffer.alloc(100);
  for (let index = 0; index < 20; index += 1) {
    memory.fill(String(index % 10));
    await outflow.send({ chunks: [memory.subarray(0, 100 - index)], rowCount: index });
  }
  pipe.end();
  await new Promise((resolve) => pipe.once('close', resolve));
  expect(joined(parts).map(({ text, rows }) => [text, rows])).toEqual(
    Array.from({ length: 20 }, (_, index) => [String(index % 10).repeat(100 - index), index]),
  );
  expect(outflow.sent).toBe(20);
});

test('without a reader no piece follows the two under way, until waits are ended', async () => {
  const outflow = createOutflow(new PassThrough({ highWaterMark: 1 }), 1);
  const piece: MadePiece = { chunks: [Buffer.alloc(100)], rowCount: 1 };
  await outflow.send(piece);
  const order: string[] = [];
  const second = outflow
    .send(piece)
    .then(() => outflow.send(piece))
    .then(() => order.push('sent'));
  await new Promise((resolve) => setImmediate(resolve));
  order.push('ended');
  outflow.endWaits();
  await second;
  expect(order).toEqual(['ended', 'sent']);
});
