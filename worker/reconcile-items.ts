import type { Logger } from 'pino';

/** Does `work` for each item. One that fails is logged and keeps nobody waiting: it comes again in another round. */
export async function forEachItem<T extends object>(
  { logger }: { logger: Pick<Logger, 'warn'> },
  step: string,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  for (const item of items) {
    await work(item).catch((err: unknown) => {
      const fields: object = { err, step, ...item };
      logger.warn(fields, 'reconciliation of an item will be tried again');
    });
  }
}
