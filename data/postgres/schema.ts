import type { ColumnType, Generated } from 'kysely';
import type { DB as Columns } from './schema.gen.ts';

/** Why something was paused, if not by a person or with its project. */
type PauseReason = 'maker_removed' | 'grant_lost' | null;

/** Columns with a fixed set of values, as in the CHECK constraints of the migrations. */
interface Words {
  account_links: { kind: 'owner' | 'invitation' | 'password'; role: 'owner' | 'admin' | 'member' };
  audit_events: { actor_type: 'user' | 'client' | 'system'; outcome: 'done' | 'refused' };
  users: { role: 'owner' | 'admin' | 'member' };
  device_logins: { status: Generated<'pending' | 'approved' | 'denied' | 'redeemed'> };
  files: { source: 'write' | 'upload' };
  tables: {
    kind: 'data' | 'calc' | 'import' | 'snapshot' | 'system' | 'view' | 'iceberg';
    status: 'creating' | 'ready' | 'deleting';
    modeling_tier: Generated<'raw' | 'staged' | 'curated' | 'certified'>;
  };
  verification_definitions: {
    kind:
      | 'not_null'
      | 'unique'
      | 'accepted_values'
      | 'relationship'
      | 'row_count'
      | 'freshness'
      | 'expression'
      | 'sql';
    severity: Generated<'error' | 'warn'>;
  };
  verification_overlays: { severity: 'error' | 'warn' | null };
  verifications: { outcome: 'passed' | 'warned' | 'failed' | null };
  verified_tables: { outcome: 'passed' | 'warned' | 'failed' | null };
  verification_results: {
    severity: 'error' | 'warn';
    status: 'passed' | 'failed' | 'warned' | 'error';
  };
  definitions: { refresh_mode: Generated<'manual' | 'on_change'> };
  exports: { format: 'csv' | 'csv.gz' | 'parquet' | 'ndjson' | 'arrow' | 'xlsx' };
  materializations: { mode: 'materialize' | 'sync' };
  builds: { status: 'waiting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'skipped' };
  table_imports: {
    mode: 'create' | 'replace' | 'append';
    status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  };
  query_executions: { status: 'succeeded' | 'failed' };
  ingestion_batches: {
    mode: 'append' | 'upsert' | 'replace' | 'provider_snapshot';
    status:
      | 'open'
      | 'completing'
      | 'awaiting_confirmation'
      | 'applying'
      | 'applied'
      | 'failed'
      | 'aborted'
      | 'expired';
    on_bad_record: 'refuse' | 'quarantine';
    on_new_field: 'refuse' | 'add' | 'ignore';
    replay_source: 'batch' | 'import' | null;
  };
  runs: {
    status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
    trigger_type: 'api' | 'schedule' | 'webhook' | 'data_event' | 'conversation';
  };
  approvals: { status: 'pending' | 'allowed' | 'denied' | 'expired' | 'cancelled' };
  agent_runs: {
    effort: 'low' | 'medium' | 'high' | null;
    source: 'api' | 'playbook' | 'workflow';
  };
  playbooks: { effort: 'low' | 'medium' | 'high' | null };
  messages: {
    role: 'user' | 'assistant';
    status: 'streaming' | 'waiting_approval' | 'complete' | 'error' | 'cancelled';
    effort: 'low' | 'medium' | 'high' | null;
  };
  message_parts: {
    type: 'text' | 'tool_call' | 'chart' | 'report';
    status: 'running' | 'waiting_approval' | 'done' | 'failed' | 'denied' | 'cancelled' | null;
  };
  queued_messages: {
    status: 'queued' | 'dispatched' | 'failed' | 'removed';
    effort: 'low' | 'medium' | 'high' | null;
  };
  reports: { source: 'api' | 'conversation' | 'playbook' | 'workflow' };
  shares: { resource_type: 'dashboard' | 'report' | 'query' };
  app_connections: { type: 'mcp'; status: Generated<'untested' | 'ready' | 'failed'> };
  data_connections: { type: 'postgres' | 'mysql' | 'http' | 's3' | 'ducklake' };
  datasets: { mode: Generated<'full' | 'incremental'> };
  snapshot_runs: {
    status: 'queued' | 'running' | 'awaiting_confirmation' | 'succeeded' | 'failed' | 'cancelled';
  };
  app_tools: { policy: 'allow' | 'ask' | 'deny' | null };
  workflows: {
    pause_reason: PauseReason;
    status: 'draft' | 'active' | 'paused' | 'archived';
    execution_format: 'typed_graph' | 'steps';
  };
  workflow_triggers: { type: 'schedule' | 'webhook' | 'api' | 'data_event' };
  workflow_active_triggers: { type: 'schedule' | 'webhook' | 'api' | 'data_event' };
  workflow_run_nodes: {
    status: 'waiting' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  };
  workflow_approvals: { status: 'pending' | 'allowed' | 'denied' | 'expired' };
  schedules: {
    kind: Generated<'playbook' | 'workflow' | 'dataset'>;
    status: 'active' | 'paused' | 'done';
    pause_reason: PauseReason;
  };
  schedule_backfills: { status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' };
  schedule_runs: {
    origin: 'cadence' | 'request' | 'backfill';
    status: 'running' | 'succeeded' | 'failed' | 'cancelled' | 'missed' | 'skipped';
  };
  deliveries: {
    kind: 'file' | 'email' | 'slack' | 'webhook';
    status: 'pending' | 'sending' | 'delivered' | 'failed' | 'uncertain';
  };
  lake_maintenance_runs: {
    status: 'queued' | 'running' | 'succeeded' | 'failed';
    trigger: 'cadence' | 'request';
  };
}

/** A column of JSON: read as what it holds, written as text. */
export type Document<T> = ColumnType<T, string | Extract<T, null>, string | Extract<T, null>>;
export type DefaultedDocument<T> = ColumnType<T, string | undefined, string>;

/**
 * What columns of JSON hold, and the values that a room has a table of. The room that writes a column
 * declares it here, by `declare module`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: others add to it.
export interface Documents {}

type Known<Name> = (Name extends keyof Words ? Words[Name] : unknown) &
  (Name extends keyof Documents ? Documents[Name] : unknown);

/** The tables with their column types, generated from a migrated database except for the fixed values. */
export type DB = {
  [Name in keyof Columns]: Omit<Columns[Name], keyof Known<Name>> & Known<Name>;
};
