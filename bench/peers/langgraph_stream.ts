/** One turn of a conversation on a LangGraph server, timed at the client. */
import { Agent, type IncomingMessage, request } from 'node:http';

export interface Turn {
  /** Until the answer's headers: by then the run is stored. */
  acceptedMs: number;
  /** Until the run's first event: a worker of the server has taken it from the queue. */
  startedMs: number;
  /** Until the first chunk of the model's text. */
  firstTextMs: number;
  /** Until the stream's end. */
  wholeTurnMs: number;
}

/** What the graph's model says after the tool's result. */
export const wholeText = 'The query returned one row.';

const timeoutMs = 120_000;
const agent = new Agent({ keepAlive: true });
const body = JSON.stringify({
  assistant_id: 'agent',
  input: { messages: [{ role: 'user', content: 'How many rows?' }] },
  stream_mode: ['messages-tuple', 'values'],
});
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };

/** Rejects if the run is refused or reports an error, or if its stream ends before the whole text. */
export async function runTurn(
  url: string,
  threadId: string,
  onAccepted?: (ms: number) => void,
): Promise<Turn> {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const response = await post(`${url}/threads/${threadId}/runs/stream`);
  const acceptedMs = elapsedMs();
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`The run was answered with ${response.statusCode}.`);
  }
  onAccepted?.(acceptedMs);
  let startedMs: number | undefined;
  let firstTextMs: number | undefined;
  let text = '';
  for await (const { event, data } of readEvents(response)) {
    startedMs ??= elapsedMs();
    if (event === 'error') throw new Error(`The run failed: ${data}`);
    if (event !== 'messages') continue;
    text += textOf(data);
    if (text !== '') firstTextMs ??= elapsedMs();
  }
  const wholeTurnMs = elapsedMs();
  if (startedMs === undefined || firstTextMs === undefined || text !== wholeText)
    throw new Error(`The stream ended after "${text}".`);
  return { acceptedMs, startedMs, firstTextMs, wholeTurnMs };
}

function post(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = request(url, { method: 'POST', agent, headers, signal }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Server-sent events without comments, which are keep-alives. */
async function* readEvents(response: IncomingMessage): AsyncGenerator<{ event: string; data: string }> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const blocks = (rest + String(chunk)).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop()!;
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      if (event !== undefined) yield { event, data: /^data: (.*)$/m.exec(block)?.[1] ?? '' };
    }
  }
}

/**
 * Of the tuples of message and metadata, only the model's chunks count: the tool's result is a message too.
 */
function textOf(data: string): string {
  const [message] = JSON.parse(data) as [{ type: string; content: string }];
  return message.type === 'AIMessageChunk' ? message.content : '';
}
