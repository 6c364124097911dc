/** Answers, and then allocates all the memory that its thread may have. */
export function grow(answer: number): number {
  if (answer > 1) return answer;
  setTimeout(() => {
    const kept: object[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})));
  }, 10);
  return answer;
}

/** Where a task says that it began, and where it is told to end. */
export const started = 0;
const released = 1;

/** Keeps its thread busy until it is told to end. */
export function spin(shared: Int32Array): string {
  Atomics.store(shared, started, 1);
  while (Atomics.load(shared, released) === 0);
  return 'done';
}
