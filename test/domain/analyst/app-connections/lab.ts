import { afterEach } from 'vitest';
import { parseAllowedNetworks } from '../../../../data/outgoing/allowed-addresses.ts';
import { createOutgoing } from '../../../../data/outgoing/outgoing.ts';
import { createRedaction } from '../../../../data/outgoing/redaction.ts';
import {
  type AppSession,
  type StepTimeouts,
  withSession,
} from '../../../../domain/analyst/app-connections/session.ts';
import { type McpServerOptions, startMcpServer, type TestMcpServer } from '../../../support/mcp-server.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

export async function serverOf(options: McpServerOptions): Promise<TestMcpServer> {
  const server = await startMcpServer(options);
  closers.push(() => server.close());
  return server;
}

/** A session with a server on loopback, whose port alone is allowed. */
export async function inSession<T>(
  { url, port }: Pick<TestMcpServer, 'url' | 'port'>,
  work: (session: AppSession) => Promise<T>,
  { timeouts, secrets = [] }: { timeouts?: StepTimeouts; secrets?: string[] } = {},
): Promise<T> {
  const outgoing = createOutgoing({ allowedPrivate: parseAllowedNetworks(`127.0.0.0/8:${port}`) });
  closers.push(() => outgoing.close());
  const server = { url, headers: {}, tokens: undefined, redaction: createRedaction(secrets) };
  return withSession(outgoing, server, { signal: new AbortController().signal, timeouts }, work);
}
