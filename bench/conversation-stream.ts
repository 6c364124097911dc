import { type ClientRequest, request } from 'node:http';

export interface StreamedEvent {
  id: number;
  event: string;
  data: Record<string, unknown>;
  atMs: number;
}

/** One reader of a conversation's events. */
export interface EventStream {
  /** Resolves when the headers have arrived. */
  opened: Promise<void>;
  /** Resolves when the stream was closed, by either side. */
  ended: Promise<void>;
  cut(): void;
}

export function openEvents(
  url: string,
  authorization: string,
  onEvent: (event: StreamedEvent) => void,
): EventStream {
  let outgoing: ClientRequest | undefined;
  let opened: () => void;
  let failed: (error: Error) => void;
  const opening = new Promise<void>((resolve, reject) => {
    opened = resolve;
    failed = reject;
  });
  const ended = new Promise<void>((resolve) => {
    outgoing = request(url, { headers: { authorization }, agent: false }, (incoming) => {
      if (incoming.statusCode !== 200) failed(new Error(`${url}: ${incoming.statusCode}`));
      opened();
      let rest = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (text: string) => {
        const atMs = performance.now();
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop()!;
        for (const block of blocks) {
          const event = parsed(block, atMs);
          if (event !== undefined) onEvent(event);
        }
      });
      incoming.on('close', resolve);
    });
    outgoing.on('error', (error) => {
      failed(error);
      resolve();
    });
    outgoing.end();
  });
  opening.catch(() => undefined);
  return { opened: opening, ended, cut: () => outgoing?.destroy() };
}

function parsed(block: string, atMs: number): StreamedEvent | undefined {
  const lines = block.split('\n');
  if (lines.length < 3) return undefined;
  return {
    id: Number(lines[0]!.slice(4)),
    event: lines[1]!.slice(7),
    data: JSON.parse(lines[2]!.slice(6)) as Record<string, unknown>,
    atMs,
  };
}
