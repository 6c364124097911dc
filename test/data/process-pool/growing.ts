/** Answers, and then allocates all the memory that its thread may have. */
export function grow(answer: number): number {
  if (answer > 1) return answer;
  setTimeout(() => {
    const kept: object[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})));
  }, 10);
  return answer;
}
