import { DiagLogLevel, diag } from '@opentelemetry/api';
import type { Logger } from 'pino';

const oncePerMs = 60_000;

/**
 * Logs what telemetry itself complains of, usually a collector that does not answer: at most one line per
 * minute, because it goes on complaining as long as that lasts.
 */
export function logDiagnostics(logger: Pick<Logger, 'warn'>): void {
  let untilMs = 0;
  let unsaid = 0;
  const say = (message: string): void => {
    unsaid += 1;
    if (Date.now() < untilMs) return;
    logger.warn({ reason: reasonOf(message), times: unsaid }, 'telemetry could not be sent');
    unsaid = 0;
    untilMs = Date.now() + oncePerMs;
  };
  const ignore = () => undefined;
  diag.setLogger(
    { error: say, warn: say, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** Errors come as JSON, with a stack and whatever the collector answered. */
function reasonOf(message: string): string {
  try {
    const { code, name, message: text } = JSON.parse(message) as Record<string, unknown>;
    return [name, code, text]
      .filter((part) => typeof part === 'string')
      .join(' ')
      .slice(0, 200);
  } catch {
    return message.slice(0, 200);
  }
}
