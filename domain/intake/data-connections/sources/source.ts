import type { Outgoing } from '../../../../data/outgoing/outgoing.ts';
import type { Redaction } from '../../../../data/outgoing/redaction.ts';
import type { HttpReplication } from '../replication-policy.ts';
import type { RequestGate } from '../request-gate.ts';
import type { Settings, SettingValue } from '../settings.ts';

/** Something that can be copied from a source. */
export interface SourceResource {
  /** What a dataset names it by. */
  resource: string;
  name: string;
  kind: 'table' | 'view' | 'endpoint' | 'prefix';
  /** Empty where finding them out would mean reading the data. */
  columns: SourceColumn[];
  /** Why its columns cannot be read, where it is asked for them and is at fault itself. */
  error?: string | null;
  /** Null where the source does not estimate. */
  estimatedRows: number | null;
  keyColumns: string[];
}

export interface SourceColumn {
  name: string;
  dataType: string;
  nullable: boolean;
}

export interface ResourcesRequest {
  /** Resources that begin so. */
  prefix: string;
  /** The resource after which the list goes on. */
  after: string | undefined;
  limit: number;
}

/** A source with what it takes to reach it. */
export interface SourceTarget {
  config: Settings;
  /** A setting, or what holds where it is left out. */
  setting(key: string): SettingValue | undefined;
  secrets: Readonly<Record<string, string>>;
  policy: HttpReplication | null;
  outgoing: Outgoing;
  gate: RequestGate;
  redaction: Redaction;
  /** OAuth's access token, kept until shortly before it ends; only of HTTP sources that sign in so. */
  accessToken(signal: AbortSignal): Promise<string>;
}

/** What every kind of source can do. Whoever calls bounds the time; rows and bytes are bounded here. */
export interface SourceKind {
  /** Connects, logs in and reads a little. @throws whatever its client throws */
  test(target: SourceTarget, signal: AbortSignal): Promise<void>;
  /** One more than the limit where there are more, by name. */
  resources(target: SourceTarget, request: ResourcesRequest, signal: AbortSignal): Promise<SourceResource[]>;
}

/** What a source may send while it is tested, or tells of its resources. */
export const maxAnswerBytes = 33_554_432;
