/** How far the process may go beyond the engine's own limit, which does not see every allocation. */
const slackBytes = 1024 * 1024 * 1024;
/** How far beyond that limit a process may stay between statements before a fresh one takes its place. */
const mostKeptBytes = 512 * 1024 * 1024;
const checkIntervalMs = 50;
/** How long a statement may go on allocating after it was interrupted. */
const graceMs = 500;

export interface MemoryWatch {
  /** Ends the watch; true where the limit was passed. */
  stop(): boolean;
}

export interface MemoryEvents {
  onExceeded(): void;
  /** The statement ignores the interrupt and goes on growing: only the end of the process helps. */
  onHopeless(): void;
}

/**
 * Watches the whole process while a statement runs. The engine counts its buffers, not every value a function
 * builds: `range(2000000000)` as a value takes gigabytes under a limit of 200 MB, and hears no interrupt.
 */
export function watchMemory(memoryLimitBytes: number, events: MemoryEvents): MemoryWatch {
  const allowedBytes = memoryLimitBytes + slackBytes;
  const isExceeded = () => process.memoryUsage.rss() > allowedBytes;
  let exceededAt: number | undefined;
  const timer = setInterval(() => {
    if (!isExceeded()) return;
    if (exceededAt === undefined) {
      exceededAt = performance.now();
      events.onExceeded();
    } else if (performance.now() - exceededAt > graceMs) {
      clearInterval(timer);
      events.onHopeless();
    }
  }, checkIntervalMs);
  return {
    stop: () => {
      clearInterval(timer);
      return exceededAt !== undefined;
    },
  };
}

/**
 * Whether a process keeps so much between statements that the next one could run into the limit for what an
 * earlier one left: allocators give memory back late. Up to the engine's own limit it is used again.
 */
export function keepsTooMuch(memoryLimitBytes: number): boolean {
  return process.memoryUsage.rss() > memoryLimitBytes + mostKeptBytes;
}
