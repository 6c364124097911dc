/** How far the process may exceed the engine's own limit, which does not cover every allocation. */
const slackBytes = 1024 * 1024 * 1024;
/** How far a process may exceed that limit between statements before it is replaced. */
const mostKeptBytes = 512 * 1024 * 1024;
const checkIntervalMs = 50;
/** How long a statement may continue allocating after it was interrupted. */
const graceMs = 500;

export interface MemoryWatch {
  /** Ends the watch; true if the limit was exceeded. */
  stop(): boolean;
}

export interface MemoryEvents {
  onExceeded(): void;
  /** The statement ignores the interrupt and keeps growing; only killing the process helps. */
  onHopeless(): void;
}

/**
 * Watches the memory of the whole process while a statement runs. The engine counts its buffers, but not
 * every value a function builds: `range(2000000000)` as a value takes gigabytes under a limit of 200 MB and
 * ignores interrupts.
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
 * Whether a process keeps so much memory between statements that the next one could exceed the limit because
 * of an earlier one: allocators return memory late. Memory up to the engine's own limit is reused.
 */
export function keepsTooMuch(memoryLimitBytes: number): boolean {
  return process.memoryUsage.rss() > memoryLimitBytes + mostKeptBytes;
}
