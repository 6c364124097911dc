import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Workspace } from './workspace.ts';

export interface McpClient {
  client: Client;
  /** The structured content of a tool's answer; throws with its text if it is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
  answer(name: string, input?: object): Promise<any>;
  call(name: string, input?: object, options?: Parameters<Client['callTool']>[1]): Promise<CallToolResult>;
  close(): Promise<void>;
}

/** Where the workspace listens, once it does. */
export function originOf({ app }: Workspace): string {
  const { port } = app.server.address() as { port: number };
  return `http://127.0.0.1:${port}`;
}

/** The official client, connected with a token; by default with the older protocol. */
export async function mcpClientOf(
  workspace: Workspace,
  token: string,
  protocol: '2025' | '2026' = '2025',
): Promise<McpClient> {
  const client = new Client(
    { name: 'test', version: '1' },
    protocol === '2026' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${originOf(workspace)}/mcp`), { requestInit }),
  );
  const call: McpClient['call'] = async (name, input = {}, options) =>
    (await client.callTool({ name, arguments: { ...input } }, options)) as CallToolResult;
  return {
    client,
    call,
    answer: async (name, input) => {
      const result = await call(name, input);
      if (result.isError === true) throw new Error(JSON.stringify(result.content));
      return result.structuredContent;
    },
    close: () => client.close(),
  };
}
