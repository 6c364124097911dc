import { CompleteAsyncError, type Context } from '@temporalio/activity';
import { ApplicationFailure, defaultPayloadConverter, TemporalFailure } from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import type { Logger } from 'pino';
import { AppError, isRetryable, problems, ValidationError } from '../data/errors.ts';
import { traceHeader } from '../workflows/trace-header.ts';

/**
 * Converts what activities throw for Temporal: an expected error becomes a failure with its code, retried
 * only if it is transient. Its log line has the ids that operators search for.
 */
export function activityErrors(logger: Logger) {
  return (context: Context): { inbound: ActivityInboundCallsInterceptor } => ({
    inbound: {
      async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>) {
        const { workflowExecution, activityType, attempt } = context.info;
        const trace = traceOf(input);
        const log = logger.child({
          workflowId: workflowExecution?.workflowId,
          activityType,
          attempt,
          ...trace,
        });
        try {
          return await next(input);
        } catch (error) {
          if (error instanceof AppError || error instanceof ValidationError) {
            const code = error instanceof AppError ? error.code : 'invalid_request';
            log.warn({ err: error }, `activity failed: ${code}`);
            throw ApplicationFailure.create({
              type: code,
              message: problems[code][1],
              nonRetryable: !isRetryable(error),
            });
          }
          if (isTemporal(error) || context.cancellationSignal.aborted) throw error;
          log.warn({ err: error }, 'activity failed');
          // The message may contain a value of a row or a path: the history gets only the type.
          throw ApplicationFailure.create({
            type: 'internal_error',
            message: 'The activity failed. See the log.',
          });
        }
      },
    },
  });
}

function isTemporal(error: unknown): boolean {
  return error instanceof TemporalFailure || error instanceof CompleteAsyncError;
}

/** The trace of the request behind the process, from its header. */
function traceOf({ headers }: ActivityExecuteInput): Record<string, unknown> {
  const payload = headers[traceHeader];
  return payload === undefined ? {} : defaultPayloadConverter.fromPayload<Record<string, unknown>>(payload);
}
