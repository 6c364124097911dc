import { readdirSync, readFileSync } from 'node:fs';

/** Current memory of a process and its descendants in MiB; NaN except on Linux. */
export function treeRssMib(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  return Math.round(treeRssKib(pid) / 1_024);
}

/** 0 for a process that has ended meanwhile. */
function treeRssKib(pid: number): number {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    return childrenOf(pid).reduce((sum, child) => sum + treeRssKib(child), own);
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** Polls every `everyMs` until it is stopped, and returns the peak. */
export function watchRss(pid: number, everyMs = 200): { stop(): number } {
  let peakMib = treeRssMib(pid);
  const look = () => {
    peakMib = Math.max(peakMib, treeRssMib(pid));
  };
  const timer = setInterval(look, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return peakMib;
    },
  };
}
