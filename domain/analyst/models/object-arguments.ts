/**
 * Some servers that are compatible with OpenAI send the arguments of a call as an object, where the format
 * has a text of JSON. This makes them that text in the lines of a stream.
 */
export const fetchWithTextArguments: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const isStream = response.headers.get('content-type')?.includes('event-stream') === true;
  if (!response.ok || !isStream || response.body === null) return response;
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(eachLine(withTextArguments))
    .pipeThrough(new TextEncoderStream());
  return new Response(body, { status: response.status, headers: response.headers });
};

/** A line longer than this is passed on as it comes. */
const maxLineCharacters = 4_000_000;

function eachLine(change: (line: string) => string): TransformStream<string, string> {
  let held = '';
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (held + chunk).split('\n');
      held = lines.pop() ?? '';
      if (lines.length > 0) controller.enqueue(lines.map((line) => `${change(line)}\n`).join(''));
      if (held.length <= maxLineCharacters) return;
      controller.enqueue(held);
      held = '';
    },
    flush(controller) {
      if (held !== '') controller.enqueue(change(held));
    },
  });
}

interface Chunk {
  choices?: { delta?: { tool_calls?: { function?: { arguments?: unknown } }[] } }[];
}

const prefix = 'data:';

function withTextArguments(line: string): string {
  if (!line.startsWith(prefix) || !/"arguments"\s*:\s*[{[]/.test(line)) return line;
  let chunk: Chunk;
  try {
    chunk = JSON.parse(line.slice(prefix.length)) as Chunk;
  } catch {
    return line;
  }
  for (const { delta } of chunk.choices ?? [])
    for (const call of delta?.tool_calls ?? [])
      if (typeof call.function?.arguments === 'object' && call.function.arguments !== null)
        call.function.arguments = JSON.stringify(call.function.arguments);
  return `${prefix} ${JSON.stringify(chunk)}`;
}
