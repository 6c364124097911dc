import { isStepCount, jsonSchema, type ModelMessage, streamText, tool } from 'ai';
import { expect, it } from 'vitest';
import { offlineModel } from '../src/model.ts';
import { toolNames } from './support.ts';

const tools = Object.fromEntries(
  toolNames.map((name) => [name, tool({ description: name, inputSchema: jsonSchema({ type: 'object' }) })]),
);
const columns = [{ name: 'order_id', dataType: 'INTEGER', nulls: 0, distinct: 3, values: null }];
const results: Readonly<Record<string, unknown>> = {
  list_tables: { tables: [{ name: 'orders', description: '', note: '', rowCount: 3, columns }] },
  describe_table: { name: 'orders', rowCount: 3, columns },
  run_sql: {
    resultId: 'res_1',
    columns: [{ name: 'count', dataType: 'INTEGER' }],
    rows: [[3]],
    rowCount: 1,
    truncated: false,
  },
};

function step(messages: ModelMessage[], options: { toolChoice?: 'none'; abortSignal?: AbortSignal } = {}) {
  return streamText({
    model: offlineModel(),
    messages,
    tools,
    stopWhen: isStepCount(1),
    onError: () => {},
    ...options,
  });
}

it('is called a step at a time: tool calls, then text in small parts', async () => {
  const messages: ModelMessage[] = [{ role: 'user', content: 'How many orders are there?' }];
  const called: string[] = [];
  const ids = new Set<string>();
  for (;;) {
    const result = step(messages);
    const deltas: string[] = [];
    for await (const delta of result.textStream) deltas.push(delta);
    const calls = await result.toolCalls;
    expect(await result.finishReason).toBe(calls.length > 0 ? 'tool-calls' : 'stop');
    messages.push(...(await result.responseMessages));
    if (calls.length === 0) {
      expect(deltas.length).toBeGreaterThan(3);
      expect(deltas.join('')).toContain('The number of rows of `orders` is **3**.');
      break;
    }
    for (const { toolCallId, toolName } of calls) {
      called.push(toolName);
      ids.add(toolCallId);
      const value = `<data-0a1b2c3d>\n${JSON.stringify(results[toolName])}\n</data-0a1b2c3d>`;
      const output = { type: 'text' as const, value };
      messages.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] });
    }
  }
  expect(called).toEqual(['list_tables', 'describe_table', 'run_sql']);
  expect(ids.size).toBe(3);
});

it('answers without tools where none may be called', async () => {
  const result = step([{ role: 'user', content: 'help' }], { toolChoice: 'none' });
  expect(await result.text).toMatch(/^I am the offline analyst/);
});

it('stops when it is aborted', async () => {
  const abort = new AbortController();
  abort.abort(new Error('enough'));
  await expect(offlineModel().doStream({ prompt: [], abortSignal: abort.signal })).rejects.toThrow('enough');
  await expect(offlineModel().doGenerate({ prompt: [], abortSignal: abort.signal })).rejects.toThrow(
    'enough',
  );
});

it('stops within its text when it is aborted there', async () => {
  const abort = new AbortController();
  const { stream } = await offlineModel().doStream({ prompt: [], abortSignal: abort.signal });
  const reader = stream.getReader();
  await reader.read();
  abort.abort(new Error('enough'));
  await expect(
    (async () => {
      while (!(await reader.read()).done);
    })(),
  ).rejects.toThrow('enough');
});

it('says the same for the same prompt', async () => {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'help' }] }];
  const first = await offlineModel().doGenerate({ prompt });
  expect(await offlineModel().doGenerate({ prompt })).toEqual(first);
});
