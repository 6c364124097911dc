import type { StageOf } from '../failure.ts';
import type { ConnectionType } from '../types/field.ts';
import { ducklakeSource } from './ducklake.ts';
import { httpSource, httpStage } from './http.ts';
import { mysqlSource, mysqlStage } from './mysql.ts';
import { postgresSource } from './postgres.ts';
import { postgresStage } from './postgres-session.ts';
import { s3Source, s3Stage } from './s3.ts';
import type { SourceKind } from './source.ts';

export interface KnownSource {
  source: SourceKind;
  stageOf: StageOf;
}

/** The implementation of each type of connection, and the classification of its errors. */
export const sourceKinds: Readonly<Record<ConnectionType, KnownSource>> = {
  postgres: { source: postgresSource, stageOf: postgresStage },
  mysql: { source: mysqlSource, stageOf: mysqlStage },
  http: { source: httpSource, stageOf: httpStage },
  s3: { source: s3Source, stageOf: s3Stage },
  ducklake: {
    source: ducklakeSource,
    stageOf: (code, error) => postgresStage(code, error) ?? s3Stage(code, error),
  },
};
