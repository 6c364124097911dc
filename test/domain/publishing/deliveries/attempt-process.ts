import { pino } from 'pino';
import { readApiConfig } from '../../../../api/config.ts';
import { attemptDelivery } from '../../../../domain/publishing/deliveries/attempt.ts';
import { activityStaging } from '../../../../service/engine-process/open.ts';
import { openService } from '../../../../service/open.ts';

/** A process that makes one delivery attempt, as a worker does, and can be killed. */
const [organizationId, deliveryId] = process.argv.slice(2) as [string, string];
const { service } = await openService(readApiConfig(process.env), {
  applicationName: 'test',
  maxConnections: 2,
  lakeThreads: 1,
  staging: activityStaging(1),
  logger: pino({ level: 'silent' }),
});
await attemptDelivery(service, { organizationId, deliveryId });
process.exit(0);
