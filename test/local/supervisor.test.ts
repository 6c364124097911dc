import { describe, expect, it, vi } from 'vitest';
import type { PartExit, PartHandle, PartName } from '../../local/part.ts';
import { createSupervisor, type SupervisedPart } from '../../local/supervisor.ts';
import { expectEventually } from '../support/eventually.ts';

/** A part whose processes are promises: the test decides when one dies. */
function fakePart(name: PartName, needs: readonly PartName[] = []) {
  const alive: { die: (reason: string) => void }[] = [];
  const stopped: PartName[] = [];
  const part: SupervisedPart<PartHandle> = {
    name,
    needs,
    logFile: '/nonexistent',
    async start() {
      const exit = Promise.withResolvers<PartExit>();
      alive.push({ die: (reason) => exit.resolve({ reason }) });
      return {
        name,
        pid: alive.length,
        exited: exit.promise,
        async stop() {
          stopped.push(name);
          exit.resolve({ reason: 'stopped' });
        },
        kill: () => exit.resolve({ reason: 'killed' }),
      };
    },
  };
  return { part, alive, stopped, dieLast: (reason = 'SIGKILL') => alive.at(-1)?.die(reason) };
}

function supervise() {
  const lines: string[] = [];
  const waits: number[] = [];
  const onChange = vi.fn();
  const supervisor = createSupervisor({
    report: (line) => lines.push(line),
    onChange,
    now: () => 0,
    wait: async (ms) => waits.push(ms),
  });
  return { supervisor, lines, waits, onChange };
}

describe('supervisor', () => {
  it('restarts a part that dies, says so and keeps the process ids true', async () => {
    const { supervisor, lines } = supervise();
    const worker = fakePart('worker');
    await supervisor.run(worker.part);
    expect(supervisor.pids()).toEqual({ worker: 1 });
    worker.dieLast();
    await expectEventually(() => supervisor.pids()).toEqual({ worker: 2 });
    expect(lines).toEqual(['worker ended (SIGKILL). Restarting it.', 'worker is running again after 0.0 s.']);
  });

  it('is patient with a part that dies five times within a minute, and ends nothing for it', async () => {
    const { supervisor, lines, waits } = supervise();
    const api = fakePart('api');
    await supervisor.run(api.part);
    for (let death = 1; death <= 5; death += 1) {
      await expectEventually(() => api.alive.length).toBe(death);
      api.dieLast('exit code 1');
    }
    await expectEventually(() => api.alive.length).toBe(6);
    expect(waits.at(-1)).toBe(30_000);
    expect(lines.join()).toContain('api ended five times within a minute. Restarting it in 30 s.');
  });

  it('gives up on a part that never comes up', async () => {
    const { supervisor } = supervise();
    const failing = { ...fakePart('api').part, start: () => Promise.reject(new Error('no port')) };
    await expect(supervisor.run(failing)).rejects.toThrow('api ended five times within a minute. no port');
    await expect(supervisor.failed).rejects.toThrow('no port');
  });

  it('leaves the others alone when a store dies, and does not hold their deaths against them meanwhile', async () => {
    const { supervisor } = supervise();
    const postgres = fakePart('postgres');
    const api = fakePart('api', ['postgres']);
    await supervisor.run(postgres.part);
    await supervisor.run(api.part);
    const held = Promise.withResolvers<void>();
    const start = postgres.part.start;
    postgres.part.start = async (previous) => {
      await held.promise;
      return start(previous);
    };
    postgres.dieLast();
    await expectEventually(() => supervisor.pids()).toEqual({ api: 1 });
    api.dieLast('exit code 1');
    await expectEventually(() => supervisor.pids()).toEqual({});
    held.resolve();
    await expectEventually(() => supervisor.pids()).toEqual({ postgres: 2, api: 2 });
  });

  it('stops the groups in order and restarts nothing afterwards', async () => {
    const { supervisor } = supervise();
    const order: PartName[] = [];
    const parts = (['postgres', 'worker', 'api'] as const).map((name) => fakePart(name));
    for (const { part, stopped } of parts) {
      await supervisor.run(part);
      stopped.push = (...names) => order.push(...names);
    }
    await supervisor.stop([['api'], ['worker'], ['postgres']], 1_000);
    expect(order).toEqual(['api', 'worker', 'postgres']);
    expect(parts.map(({ alive }) => alive.length)).toEqual([1, 1, 1]);
  });
});
