import { Circle, CircleCheck, CirclePause, CircleX, Clock, LoaderCircle, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import * as texts from '../texts/index.ts';

const icons = {
  good: CircleCheck,
  warning: TriangleAlert,
  bad: CircleX,
  running: LoaderCircle,
  waiting: Clock,
  paused: CirclePause,
  neutral: Circle,
};
export type Signal = keyof typeof icons;

/** How something is: a word with an icon, whose colour only repeats it. What is under way moves. */
export function Signaled({ as, children }: { as: Signal; children: ReactNode }) {
  const Icon = icons[as];
  return (
    <span className={`status ${as}`}>
      <Icon size={14} aria-hidden />
      {children}
    </span>
  );
}

const signals: Partial<Record<keyof typeof texts.parts.statuses, Signal>> = {
  ...{ succeeded: 'good', complete: 'good', done: 'good', active: 'good' },
  ...{ failed: 'bad', error: 'bad', denied: 'bad', missed: 'warning' },
  ...{ running: 'running', streaming: 'running', waiting_approval: 'warning' },
  ...{ queued: 'waiting', pending: 'waiting', waiting: 'waiting', paused: 'paused' },
};

/** One of the states that many things have. */
export const Status = ({ of }: { of: keyof typeof texts.parts.statuses }) => (
  <Signaled as={signals[of] ?? 'neutral'}>{texts.parts.statuses[of]}</Signaled>
);
