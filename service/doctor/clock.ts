const farApartMs = 5_000;

/** Compares this machine's clock with that of a server, as it is told between a request and its answer. */
export async function compareClock(
  server: string,
  read: () => Promise<Date>,
  now = Date.now,
): Promise<string | { found: string; todo: string }> {
  const before = now();
  const serverTime = (await read()).getTime();
  const after = now();
  const apartMs = Math.max(0, before - serverTime, serverTime - after);
  const seconds = (apartMs / 1_000).toFixed(1);
  if (apartMs <= farApartMs) return `${seconds} s from ${server}'s`;
  return {
    found: `The clocks of this machine and ${server} differ by ${seconds} s.`,
    todo: 'Synchronize both with a time server. Tokens and schedules depend on them.',
  };
}
