export interface ServerSentEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** The events of a `text/event-stream`, up to its end. An event that is cut off is not given. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      for (let end = text.search(/\r?\n\r?\n/); end >= 0; end = text.search(/\r?\n\r?\n/)) {
        const event = eventOf(text.slice(0, end));
        text = text.slice(end).replace(/^\r?\n\r?\n/, '');
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined for a comment, which keeps the connection open. */
function eventOf(block: string): ServerSentEvent | undefined {
  const fields = new Map<string, string[]>();
  for (const line of block.split(/\r?\n/)) {
    const [, name, value] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === undefined || name === '') continue;
    fields.set(name, [...(fields.get(name) ?? []), value ?? '']);
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return {
    id: fields.get('id')?.at(-1),
    event: fields.get('event')?.at(-1) ?? 'message',
    data: data.join('\n'),
  };
}
