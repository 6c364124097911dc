import { bytesOf, type MadePiece } from '../writer.ts';

/** A part of a stream, which may be cut within a row. */
export interface Piece {
  bytes: Uint8Array;
  /** Rows that are whole with this part and were not counted with an earlier one. */
  rowCount: number;
  /** Whether it is the last one of a file that another one follows. */
  endsFile?: boolean | undefined;
}

/**
 * How pieces leave a process, through a pipe of their own: each is preceded by whose it is, how long it is,
 * how many rows it has and whether it ends a file. Node's channel for messages would copy each four times.
 */
const headerBytes = 16;

/** A part of a piece, as it comes; the last of a piece counts its rows. */
export interface PiecePart extends Piece {
  statementId: number;
  endsPiece: boolean;
}

export const frameBytes = (piece: MadePiece): number => headerBytes + bytesOf(piece);

/** Writes what goes through the pipe to memory of at least `frameBytes`. */
export function writeFrame(memory: Buffer, statementId: number, piece: MadePiece): void {
  memory.writeUInt32LE(statementId, 0);
  memory.writeUInt32LE(bytesOf(piece), 4);
  memory.writeUInt32LE(piece.rowCount, 8);
  memory.writeUInt32LE(piece.endsFile === true ? 1 : 0, 12);
  let at = headerBytes;
  for (const chunk of piece.chunks) {
    memory.set(chunk, at);
    at += chunk.length;
  }
}

/** Takes what comes out of the pipe, in any pieces, and gives the parts in it without copying them. */
export function createFrameReader(): { read(data: Buffer): Generator<PiecePart> } {
  const header = Buffer.alloc(headerBytes);
  let headerLength = 0;
  let missingBytes = 0;

  function part(bytes: Buffer): PiecePart {
    missingBytes -= bytes.length;
    const endsPiece = missingBytes === 0;
    if (endsPiece) headerLength = 0;
    return {
      statementId: header.readUInt32LE(0),
      bytes,
      rowCount: endsPiece ? header.readUInt32LE(8) : 0,
      endsFile: endsPiece && header.readUInt32LE(12) === 1,
      endsPiece,
    };
  }

  return {
    *read(data) {
      let at = 0;
      while (at < data.length) {
        if (headerLength < headerBytes) {
          const copied = data.copy(header, headerLength, at);
          headerLength += copied;
          at += copied;
          if (headerLength < headerBytes) return;
          missingBytes = header.readUInt32LE(4);
          if (missingBytes === 0) yield part(data.subarray(at, at));
        } else {
          const bytes = data.subarray(at, at + missingBytes);
          at += bytes.length;
          yield part(bytes);
        }
      }
    },
  };
}
