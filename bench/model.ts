import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface InstantModel {
  url: string;
  /** When the first text of an answer was sent, by question. */
  firstTextAt: Map<string, number>;
  close(): Promise<void>;
}

/**
 * A provider that answers at once, in the OpenAI wire format: a question with a call of run_sql, its result
 * with five chunks of text. The duration of a turn is then the service's own time. Questions without a
 * statement are answered with the text at once.
 */
export async function startInstantModel(
  port: number,
  sqlOf: (question: string) => string | undefined,
): Promise<InstantModel> {
  const firstTextAt = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
        messages: { role: string; content: string }[];
      };
      const question = messages.findLast(({ role }) => role === 'user')!.content;
      const sql = sqlOf(question);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (messages.at(-1)!.role === 'tool' || sql === undefined) {
        firstTextAt.set(question, performance.now());
        for (const content of ['It ', 'is ', 'as ', 'you ', 'asked.']) delta(response, { content });
        finish(response, 'stop');
      } else {
        const call = { name: 'run_sql', arguments: JSON.stringify({ sql }) };
        delta(response, {
          tool_calls: [{ index: 0, id: `call_${messages.length}`, type: 'function', function: call }],
        });
        finish(response, 'tool_calls');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    firstTextAt,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const chunk = (response: ServerResponse, choice: object, more: object = {}) =>
  response.write(
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'scripted', choices: [{ index: 0, ...choice }], ...more })}\n\n`,
  );

function delta(response: ServerResponse, content: object): void {
  chunk(response, { delta: { role: 'assistant', ...content }, finish_reason: null });
}

function finish(response: ServerResponse, reason: string): void {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  chunk(response, { delta: {}, finish_reason: reason }, { usage });
  response.end('data: [DONE]\n\n');
}
