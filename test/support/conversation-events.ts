// biome-ignore lint/suspicious/noExplicitAny: events have any shape.
type Data = any;

export interface SeenEvent {
  id: number;
  event: string;
  data: Data;
}

/** A block of an event stream; undefined for a comment. */
export function parseEvent(block: string): SeenEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  const event = fields.get('event');
  if (event === undefined) return undefined;
  return { id: Number(fields.get('id')), event, data: JSON.parse(fields.get('data')!) };
}

/** The state of a reader who applied the events to an empty conversation. */
export function applied(events: readonly SeenEvent[]): {
  messages: Data[];
  queuedTurns: Data[];
  queueHeld: boolean;
} {
  const messages = new Map<string, Data>();
  let queue: Data[] = [];
  let queueHeld = false;
  for (const { event, data } of events) {
    const message = messages.get(data.messageId);
    if (event === 'message.created') messages.set(data.messageId, structuredClone(data.message));
    else if (event === 'turn.started') message.dataVersions = data.dataVersions;
    else if (event === 'text.delta') {
      message.parts[data.partIndex] ??= { type: 'text', text: '' };
      message.parts[data.partIndex].text += data.text;
    } else if (event === 'part.retracted') delete message.parts[data.partIndex];
    else if (event === 'turn.finished') {
      const { status, error, usage, completedAt } = data;
      Object.assign(message, { status, error, usage, completedAt });
    } else if (event === 'queue.changed') {
      queueHeld = data.queueHeld;
      const changed = data.queuedMessage;
      if (changed !== null) {
        const isKnown = queue.some(({ id }) => id === changed.id);
        if (changed.state !== 'queued') queue = queue.filter(({ id }) => id !== changed.id);
        else if (isKnown) queue = queue.map((entry) => (entry.id === changed.id ? changed : entry));
        else queue = [...queue, changed];
      }
      queue = queue.map((entry, index) => ({ ...entry, position: index + 1, held: queueHeld }));
    } else if (data.part !== undefined) message.parts[data.partIndex] = data.part;
  }
  const shown = [...messages.values()].map((message) => {
    if (message.role === 'user') return message;
    const parts = message.parts.filter((part: unknown) => part !== undefined);
    const content = parts
      .filter((part: Data) => part.type === 'text' && part.text !== '')
      .map((part: Data) => part.text)
      .join('\n\n');
    // A reply waits for as long as one of its calls does.
    const waits = parts.some((part: Data) => part.status === 'waiting_approval');
    const status = waits && message.completedAt === null ? 'waiting_approval' : message.status;
    return { ...message, status, parts, content, displayContent: content };
  });
  return { messages: shown, queuedTurns: queue, queueHeld };
}
