/** Tokens of an answer; omitted values are counted by words. */
export interface ModelUsage {
  inputTokens?: number;
  outputTokens?: number;
  cachedTokens?: number;
  reasoningTokens?: number;
}

/** A model's answer, as a script defines it. */
export interface ModelAnswer {
  text?: string | Iterable<string>;
  reasoning?: string | Iterable<string>;
  /** An object instead of the text of one is what some servers send. */
  toolCalls?: { name: string; arguments: string | object }[];
  usage?: ModelUsage;
  finishReason?: string;
}

/** A chunk of a stream's body. */
export interface ModelWord {
  data: string;
  isDelta: boolean;
}

/** The stream of an answer in the OpenAI wire format, lazily: an answer may be endless. */
export function* modelChunks(
  model: string,
  n: number,
  answer: ModelAnswer,
  hasUsage: boolean,
): Generator<ModelWord> {
  const head = { id: `chatcmpl-${n}`, object: 'chat.completion.chunk', created: 1_700_000_000, model };
  const event = (members: object, isDelta: boolean): ModelWord => ({
    data: `data: ${JSON.stringify({ ...head, ...members })}\n\n`,
    isDelta,
  });
  const choice = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  let deltas = 0;
  yield event(choice({ role: 'assistant', content: '' }), false);
  for (const delta of deltasOf(n, answer)) {
    deltas += 1;
    yield event(choice(delta), true);
  }
  yield event(choice({}, finishReasonOf(answer)), false);
  if (hasUsage) yield event({ choices: [], usage: usageOf(answer, deltas) }, false);
  yield { data: 'data: [DONE]\n\n', isDelta: false };
}

/** The same answer to a request without streaming. */
export function wholeAnswer(model: string, n: number, answer: ModelAnswer): object {
  const calls = answer.toolCalls?.map((call, index) => ({
    id: callId(n, index),
    type: 'function',
    function: call,
  }));
  const text = [...listOf(answer.text)].join('');
  const message = {
    role: 'assistant',
    content: text === '' && calls !== undefined ? null : text,
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
  return {
    id: `chatcmpl-${n}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message, finish_reason: finishReasonOf(answer) }],
    usage: usageOf(answer, [...deltasOf(n, answer)].length),
  };
}

function* deltasOf(n: number, answer: ModelAnswer): Generator<object> {
  for (const reasoning_content of listOf(answer.reasoning)) yield { reasoning_content };
  for (const content of listOf(answer.text)) yield { content };
  for (const [index, call] of (answer.toolCalls ?? []).entries()) {
    // The name comes first, and the arguments in pieces.
    const start = { id: callId(n, index), type: 'function', function: { name: call.name, arguments: '' } };
    yield { tool_calls: [{ index, ...start }] };
    for (const piece of piecesOf(call.arguments))
      if (piece !== '') yield { tool_calls: [{ index, function: { arguments: piece } }] };
  }
}

function piecesOf(args: string | object): (string | object)[] {
  if (typeof args !== 'string') return [args];
  const half = Math.ceil(args.length / 2);
  return [args.slice(0, half), args.slice(half)];
}

/** A text is sent word by word, each with the space before it. */
function listOf(text: string | Iterable<string> | undefined): Iterable<string> {
  if (typeof text !== 'string') return text ?? [];
  return text === '' ? [] : text.split(/(?= )/);
}

function callId(n: number, index: number): string {
  return `call_${n}_${index}`;
}

function finishReasonOf({ finishReason, toolCalls }: ModelAnswer): string {
  return finishReason ?? (toolCalls === undefined ? 'stop' : 'tool_calls');
}

function usageOf({ usage = {} }: ModelAnswer, deltas: number): object {
  const { inputTokens = 10, outputTokens = deltas, cachedTokens = 0, reasoningTokens = 0 } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
