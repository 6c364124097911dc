import type { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { searchAttributeNames } from '../workflows/task-queues.ts';

/** Registers the search attributes where the namespace lacks them and the worker may; else says what to do. */
export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { operatorService } = connection;
  const known = await operatorService.listSearchAttributes({ namespace });
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
