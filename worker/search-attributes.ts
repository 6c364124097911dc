import { type Connection, isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { Logger } from 'pino';
import { searchAttributeNames } from '../workflows/task-queues.ts';

/** gRPC's PERMISSION_DENIED and UNIMPLEMENTED. */
const askedElsewhere = new Set([7, 12]);

/**
 * Registers the search attributes if the namespace lacks them and the worker is permitted to; otherwise logs
 * what to do.
 */
export async function ensureSearchAttributes(
  connection: Connection,
  namespace: string,
  logger?: Pick<Logger, 'warn'>,
): Promise<void> {
  const { operatorService } = connection;
  const known = await operatorService.listSearchAttributes({ namespace }).catch((error: unknown) => {
    if (!isGrpcServiceError(error) || !askedElsewhere.has(error.code)) throw error;
    // In a hosted service they are registered in its console.
    logger?.warn(
      `The namespace ${namespace} doesn't list its search attributes. It needs the Keywords ${searchAttributeNames.join(', ')}.`,
    );
  });
  if (known === undefined) return;
  const missing = searchAttributeNames.filter((name) => known.customAttributes?.[name] === undefined);
  if (missing.length === 0) return;
  const keyword = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;
  await operatorService
    .addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, keyword])),
    })
    .catch((cause: unknown) => {
      throw new Error(
        `Register the Keyword search attributes ${missing.join(', ')} in the namespace ${namespace}.`,
        { cause },
      );
    });
}
