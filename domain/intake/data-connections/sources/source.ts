import type { Outgoing } from '../../../../data/outgoing/outgoing.ts';
import type { Redaction } from '../../../../data/outgoing/redaction.ts';
import type { HttpReplication } from '../replication-policy.ts';
import type { RequestGate } from '../request-gate.ts';
import type { Settings, SettingValue } from '../settings.ts';

/** Something in a source that can be copied. */
export interface SourceResource {
  /** The id by which a dataset refers to it. */
  resource: string;
  name: string;
  kind: 'table' | 'view' | 'endpoint' | 'prefix';
  /** Empty if finding the columns would require reading the data. */
  columns: SourceColumn[];
  /** Why the columns cannot be read, if this resource was sampled and is itself the cause. */
  error?: string | null;
  /** Null if the source has no estimate. */
  estimatedRows: number | null;
  keyColumns: string[];
}

export interface SourceColumn {
  name: string;
  dataType: string;
  nullable: boolean;
}

export interface ResourcesRequest {
  /** Only resources that start with this. */
  prefix: string;
  /** The list continues after this resource. */
  after: string | undefined;
  limit: number;
}

/** A connection's settings and secrets, and the means to reach its source. */
export interface SourceTarget {
  config: Settings;
  /** A setting or its default. */
  setting(key: string): SettingValue | undefined;
  secrets: Readonly<Record<string, string>>;
  policy: HttpReplication | null;
  outgoing: Outgoing;
  gate: RequestGate;
  redaction: Redaction;
  /** OAuth access token, cached until shortly before it expires; only for HTTP sources that use OAuth. */
  accessToken(signal: AbortSignal): Promise<string>;
}

/** What every kind of source can do. The caller limits the time; rows and bytes are limited here. */
export interface SourceKind {
  /** Connects, logs in and reads a little. @throws the client's errors, unclassified */
  test(target: SourceTarget, signal: AbortSignal): Promise<void>;
  /** Sorted by `resource`; one more than the limit if there are more. */
  resources(target: SourceTarget, request: ResourcesRequest, signal: AbortSignal): Promise<SourceResource[]>;
}

/** Maximum bytes that a source may send during a test or a listing of resources. */
export const maxAnswerBytes = 33_554_432;
