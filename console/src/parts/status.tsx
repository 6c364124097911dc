import * as texts from '../texts/index.ts';

const good = new Set(['succeeded', 'complete', 'done', 'active']);
const bad = new Set(['failed', 'error', 'denied', 'missed']);

/** How something is, by its word: colour only repeats it. */
export function Status({ of }: { of: keyof typeof texts.parts.statuses }) {
  const kind = good.has(of) ? 'good' : bad.has(of) ? 'bad' : '';
  return <span className={`status ${kind}`}>{texts.parts.statuses[of]}</span>;
}
