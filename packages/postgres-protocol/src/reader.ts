import { ProtocolFault, violation } from './fault.ts';

/** A message as it came: its kind, a character, and what follows the length. */
export interface RawMessage {
  kind: string;
  body: Buffer;
}

export interface MessageReader {
  /** Takes what has come. Its memory is kept until the messages in it are read. */
  push(data: Buffer): void;
  /** The next message that has come whole; undefined if there is none yet. */
  next(): RawMessage | undefined;
  /** The same for the first message of a conversation, which has no kind. */
  nextStartup(): Buffer | undefined;
  /** Bytes that are kept. */
  readonly keptBytes: number;
}

const lengthBytes = 4;

/**
 * Cuts what comes into messages. A length beyond the bound is refused when it is read, so a message takes no
 * more memory than allowed, whatever it says of itself.
 *
 * @param mostBytes of a message; asked for each, because less is allowed to those who have not signed in
 */
export function createMessageReader(mostBytes: () => number): MessageReader {
  let parts: Buffer[] = [];
  let keptBytes = 0;

  /** The first bytes in one piece; parts are joined only when enough of them have come. */
  function first(count: number): Buffer | undefined {
    if (keptBytes < count) return undefined;
    if (parts[0]!.length < count) parts = [Buffer.concat(parts)];
    return parts[0]!;
  }

  function take(count: number): Buffer {
    const taken = first(count)!;
    const rest = taken.subarray(count);
    if (rest.length > 0) parts[0] = rest;
    else parts.shift();
    keptBytes -= count;
    return taken.subarray(0, count);
  }

  function whole(headerBytes: number): Buffer | undefined {
    const header = first(headerBytes);
    if (header === undefined) return undefined;
    const length = header.readInt32BE(headerBytes - lengthBytes);
    if (length < lengthBytes) throw violation('The length of a message is too small.');
    if (length > mostBytes())
      throw new ProtocolFault('54000', `A message takes up to ${mostBytes()} bytes; one of ${length} came.`);
    const bytes = headerBytes - lengthBytes + length;
    return keptBytes < bytes ? undefined : take(bytes);
  }

  return {
    push(data) {
      if (data.length === 0) return;
      parts.push(data);
      keptBytes += data.length;
    },
    next() {
      const message = whole(1 + lengthBytes);
      return message && { kind: String.fromCharCode(message[0]!), body: message.subarray(1 + lengthBytes) };
    },
    nextStartup: () => whole(lengthBytes)?.subarray(lengthBytes),
    get keptBytes() {
      return keptBytes;
    },
  };
}
