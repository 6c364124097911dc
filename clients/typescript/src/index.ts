export { type Ask, createWorkspace, type Workspace, type WorkspaceOptions } from './client.ts';
export {
  type AskOptions,
  ask,
  type ConversationEvent,
  type FollowOptions,
  follow,
  type InConversation,
  type Message,
  type MessagePart,
} from './conversations.ts';
export { type DeviceLogin, deviceLogin } from './device-login.ts';
export { ConnectionError, type Fault, type Problem, TruncatedError, WorkspaceError } from './errors.ts';
export { tableNameOf, type Upload, uploadFile, type WorkspaceFile } from './files.ts';
export { items, type Page, some } from './pages.ts';
export { type Query, type QueryAnswer, query, queryRows, queryStream } from './queries.ts';
export {
  appendRows,
  type ColumnPage,
  type ColumnPages,
  type Ingestion,
  type IngestionBatch,
  ingest,
  ingestColumns,
  type Row,
  type Rows,
  type Written,
} from './rows.ts';
export type { components, operations, paths } from './schema.gen.ts';
export {
  type Auth,
  accessToken,
  clientCredentials,
  type LoginTokens,
  login,
  type TokenStore,
} from './tokens.ts';
export { version } from './version.ts';
export { type Lasting, type WaitOptions, wait } from './wait.ts';
