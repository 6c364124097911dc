import type { LakeEngine } from '../../../../data/lake/engine/contract.ts';
import type { ObjectStore } from '../../../../data/objects/store.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { SourceClients } from '../../data-connections/clients.ts';
import { InternalFailure } from '../../data-connections/failure.ts';
import type { SessionLimits } from '../../data-connections/sources/sockets.ts';
import type { ConnectionType } from '../../data-connections/types/field.ts';
import { createFileReader } from '../../file-imports/reader.ts';
import type { CopySource, SourceCopier, WithEngine } from './copier.ts';
import { copyDucklake } from './ducklake.ts';
import { copyLimits, copyTimeoutMs } from './limits.ts';
import { copyMysql } from './mysql.ts';
import { copyPostgres } from './postgres.ts';
import { copyS3 } from './s3.ts';

/** HTTP sources are read page by page (`../pages`). */
const copies: Partial<Record<ConnectionType, CopySource>> = {
  postgres: copyPostgres,
  mysql: copyMysql,
  s3: copyS3,
  ducklake: copyDucklake,
};

export interface SourceCopierDeps {
  sources: SourceClients;
  /** Engine processes for long work that holds no lock on a table. */
  staging: LakeEngine;
  objects: ObjectStore;
  workDir: string;
  /** Maximum bytes of one copy, both as sent by the source and decompressed. */
  maxBytes: number;
  fileBytes?: number;
  limits?: SessionLimits;
}

/** Includes the time that a session waits for an engine. */
const sessionTimeoutMs = copyTimeoutMs * 2 + 60_000;

export function createSourceCopier(given: SourceCopierDeps): SourceCopier {
  const { sources, staging, limits = copyLimits, ...rest } = given;
  const files = createFileReader(staging);
  return {
    async copy({ connection, ...request }, progress, signal) {
      const deps = { ...rest, limits, files, organizationId: connection.organization_id };
      const overdue = new AbortController();
      const withEngine: WithEngine = async (ended, work) => {
        let timer: NodeJS.Timeout | undefined;
        let thrown: unknown;
        const options = { signal: AbortSignal.any([signal, ended]), timeoutMs: copyTimeoutMs + 60_000 };
        try {
          return await staging.scratch(
            connection.organization_id,
            async (engine) => {
              timer = setTimeout(() => overdue.abort(tookTooLong()), copyTimeoutMs);
              await engine.run("SET TimeZone = 'UTC'");
              return await work(engine).catch((error: unknown) => {
                thrown = error;
                throw error;
              });
            },
            options,
          );
        } catch (error) {
          // An error that the work did not throw is not a failure of the source.
          throw error === thrown || error instanceof RemoteFailure ? error : new InternalFailure(error);
        } finally {
          clearTimeout(timer);
        }
      };
      try {
        return await sources.use(connection, sessionTimeoutMs, (_source, target, late) =>
          copySource(connection.type)(
            deps,
            target,
            withEngine,
            request,
            progress,
            AbortSignal.any([signal, late, overdue.signal]),
          ),
        );
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
  };
}

/** A retry would take as long, so the failure is permanent. */
function tookTooLong(): RemoteFailure {
  return new RemoteFailure(
    'request',
    `The copy took longer than ${copyTimeoutMs / 3_600_000} hours, which is the limit.`,
  );
}

function copySource(type: ConnectionType): CopySource {
  const copy = copies[type];
  if (copy === undefined) throw new Error(`Connections of the type ${type} are not copied.`);
  return copy;
}
