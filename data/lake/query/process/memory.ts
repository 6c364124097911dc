/** How far the process may go beyond the engine's own limit, which does not see every allocation. */
const slackBytes = 512 * 1024 * 1024;
const checkIntervalMs = 100;
/** What goes on growing after an interrupt is ended with its process. */
const graceMs = 1000;

export interface MemoryWatch {
  /** Ends the watch; true where the process still holds more than it may. */
  stop(): boolean;
  wasExceeded(): boolean;
}

/**
 * Watches the whole process while a statement runs. The engine counts its buffers, not every string a function
 * builds: `repeat('x', 1500000000)` passes a limit of 200 MB.
 */
export function watchMemory(memoryLimitBytes: number, onExceeded: () => void): MemoryWatch {
  const allowedBytes = memoryLimitBytes + slackBytes;
  let exceededAt: number | undefined;
  const timer = setInterval(() => {
    if (process.memoryUsage.rss() <= allowedBytes) return;
    if (exceededAt === undefined) {
      exceededAt = performance.now();
      onExceeded();
    } else if (performance.now() - exceededAt > graceMs) {
      process.exit(memoryExitCode);
    }
  }, checkIntervalMs);
  return {
    stop: () => {
      clearInterval(timer);
      return process.memoryUsage.rss() > allowedBytes;
    },
    wasExceeded: () => exceededAt !== undefined,
  };
}

/** Tells the parent why this process ended. */
export const memoryExitCode = 99;
