import { createMessageReader, ProtocolFault, readFrontend, readParameter, readStartup } from '../index.ts';

/** A repeatable sequence of numbers from 0 up to a bound. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function message(kind: string, ...parts: (string | number[] | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : Buffer.from(part))),
  );
  const head = Buffer.alloc(4);
  head.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), head, body]);
}

const value = (bytes: number[]) => [0, 0, 0, bytes.length, ...bytes];

/** What a client says after it has signed in, one of each kind. */
export const said: readonly Buffer[] = [
  message('Q', 'SELECT 1'),
  message('P', 'name', 'SELECT $1', [0, 1, 0, 0, 0, 23]),
  message('B', '', 'name', [0, 1, 0, 1, 0, 1], value([0, 0, 0, 5]), [0, 1, 0, 0]),
  message('B', 'p', 'name', [0, 0, 0, 2], value([49]), [255, 255, 255, 255], [0, 0]),
  message('D', [83], 'name'),
  message('E', '', [0, 0, 0, 0]),
  message('C', [80], 'p'),
  message('H'),
  message('S'),
  message('d', [1, 2, 3]),
];

export const startup = message('', [0, 3, 0, 0], 'user', 'cli', 'database', 'org', [0]);

const oids = [
  16, 17, 20, 21, 23, 25, 700, 701, 1700, 1082, 1083, 1114, 1184, 1186, 2950, 114, 3802, 1016, 1009,
];

/** Reads a conversation that was changed at random places. Whatever it is, only a fault may come of it. */
export function readMutated(random: (below: number) => number): 'read' | 'refused' {
  const parts = Array.from({ length: 1 + random(6) }, () => said[random(said.length)]!);
  const bytes = Buffer.concat(random(8) === 0 ? [startup, ...parts] : parts);
  for (let change = random(6); change > 0; change -= 1) bytes[random(bytes.length)] = random(256);
  const sent = bytes.subarray(0, random(4) === 0 ? random(bytes.length) : bytes.length);
  const reader = createMessageReader(() => 10_000);
  try {
    if (random(10) === 0) readStartup(sent);
    for (let at = 0; at < sent.length; ) {
      const size = 1 + random(20);
      reader.push(sent.subarray(at, at + size));
      at += size;
      for (let raw = reader.next(); raw !== undefined; raw = reader.next()) {
        const read = readFrontend(raw);
        if (read.kind !== 'bind') continue;
        for (const bound of read.values) readParameter(oids[random(oids.length)]!, random(2), bound);
      }
    }
    return 'read';
  } catch (error) {
    if (error instanceof ProtocolFault) return 'refused';
    throw error;
  }
}
