import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { AppError } from '../../../data/errors.ts';
import { quoted, RemoteFailure } from '../../../data/outgoing/failure.ts';
import type { Redaction } from '../../../data/outgoing/redaction.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { type AppConnectionRow, getAppConnectionRow } from './app-connections.ts';
import { getTool } from './app-tools.ts';
import type { AppToolDeps } from './clients.ts';
import type { ListedTool } from './listed-tool.ts';
import { keep, listTools } from './refresh.ts';
import type { AppSession } from './session.ts';
import { readOutput } from './tool-output.ts';

export type { AppToolDeps } from './clients.ts';

export interface OfferedToolCall {
  organizationId: string;
  connectionId: string;
  /** The connection's URL when the tool was offered; not checked if omitted. */
  url?: string;
  tool: string;
  /** The fingerprint of the tool as offered and allowed. */
  fingerprint: string;
  input: unknown;
  signal: AbortSignal;
}

export interface OfferedToolAnswer {
  output: unknown;
  summary: string;
  /** The tool was called and reported failure itself. */
  isError: boolean;
}

const maxInputCharacters = limits.appConnections.inputBytes.most;
const maxSummaryCharacters = 300;

/**
 * Calls a tool. The server's tools are listed first in the same session, and only the approved one is called.
 * Calls are never repeated here, because a second call would repeat the tool's effect.
 *
 * @throws AppError not_found, conflict where it is another tool by now or denied, invalid_request,
 * rate_limited, and source_failed with a sentence for people
 */
export async function callOfferedTool(deps: AppToolDeps, call: OfferedToolCall): Promise<OfferedToolAnswer> {
  const { organizationId, connectionId, tool: name, signal } = call;
  const input = inputOf(call.input);
  const connection = await inOrganization(deps.db, organizationId, async (db) => {
    const found = await getAppConnectionRow(db, organizationId, connectionId);
    const { policy } = await getTool(db, organizationId, connectionId, name);
    if (policy === 'deny') throw new AppError('conflict', `The tool ${name} of ${found.name} is denied.`);
    // Another server's tool may look the same, but a call to that server was not allowed.
    if (call.url !== undefined && call.url !== found.url)
      throw new AppError('conflict', `${found.name} has moved to another server since ${name} was offered.`);
    return found;
  });
  try {
    return await deps.apps.session(connection, signal, async (session, redaction) => {
      const listed = await listTools(session, redaction);
      const tool = listed.find((candidate) => candidate.name === name);
      if (tool?.fingerprint !== call.fingerprint) {
        await keep(deps, connection, listed);
        throw changed(connection, name, tool !== undefined);
      }
      return await answer(session, connection, tool, input, redaction);
    });
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // Without its cause, which contains the server's text: that may be a secret, and causes end up in
    // histories and logs.
    throw new AppError('source_failed', `${connection.name}: ${error.message}`);
  }
}

async function answer(
  session: AppSession,
  { name: connectionName }: AppConnectionRow,
  { name, inputSchema, refusal }: ListedTool,
  input: object,
  redaction: Redaction,
): Promise<OfferedToolAnswer> {
  if (inputSchema === undefined || refusal !== null)
    throw new AppError('conflict', `The tool ${name} of ${connectionName} cannot be called: ${refusal}`);
  const what = `${name} of ${connectionName}`;
  try {
    const result = await session.callTool({ name, inputSchema }, input);
    const output = readOutput(result, redaction);
    const text = output.text ?? JSON.stringify(output.data ?? '');
    if (result.isError === true) return failure(text, `${what} failed: ${line(text)}`);
    return {
      output,
      summary: `${what} answered ${text.length.toLocaleString('en')} characters.`,
      isError: false,
    };
  } catch (error) {
    // A model that learns what was wrong with its input may try again.
    const refused = error instanceof RemoteFailure ? error.cause : undefined;
    if (!(refused instanceof ProtocolError) || refused.code !== ProtocolErrorCode.InvalidParams) throw error;
    const text = quoted(refused, redaction);
    return failure(text, `${what} rejected its input: ${text}`);
  }
}

/** A failure in the form of every tool's: a model must not take it for an answer. */
const failure = (message: string, summary: string): OfferedToolAnswer => ({
  output: { error: { code: 'source_failed', message } },
  summary,
  isError: true,
});

function inputOf(input: unknown): object {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new AppError('invalid_request', 'The input of a tool must be a JSON object.');
  if (JSON.stringify(input).length > maxInputCharacters)
    throw new AppError(
      'invalid_request',
      `The input of a tool must have at most ${maxInputCharacters} characters.`,
    );
  return input;
}

function changed({ name }: AppConnectionRow, tool: string, isListed: boolean): AppError {
  const message = isListed
    ? `The tool ${tool} of ${name} has changed since it was offered. It can be called again after somebody has decided about the changed tool.`
    : `The tool ${tool} of ${name} has changed. The server no longer lists it.`;
  return new AppError('conflict', message);
}

function line(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, maxSummaryCharacters).toWellFormed();
}
