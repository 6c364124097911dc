import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/** Workers of tests say nothing but errors: what they report is asserted, not read. */
export function quietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  });
}
