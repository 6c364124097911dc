import type { OnBusy } from '../../../../domain/analyst/conversations/post.ts';

/**
 * The operations on a conversation. Messages are named by their texts, replies by the message that they
 * answer.
 */
export type Operation =
  | { op: 'post'; text: string; onBusy: OnBusy; model?: string }
  | { op: 'cancel'; text: string }
  | { op: 'edit'; text: string; expectedRevision?: number }
  | { op: 'remove'; text: string; expectedRevision?: number }
  | { op: 'resume' }
  /** What the conversation's process does when it looks for work. */
  | { op: 'advance' }
  | { op: 'finish'; text: string }
  | { op: 'fail'; text: string }
  | { op: 'delete' };

type Ended = 'complete' | 'error' | 'cancelled';

export interface Turn {
  text: string;
  status: 'streaming' | Ended;
}

export interface Entry {
  text: string;
  state: 'queued' | 'dispatched' | 'failed' | 'removed';
  revision: number;
  /** The message whose reply was in progress when this one arrived. */
  behind: string;
  model: string;
  /** Number of its edits, which its message shows. */
  edits: number;
}

/** The rules of a conversation, as short as possible. */
export interface Rules {
  turns: Turn[];
  entries: Entry[];
  isHeld: boolean;
  isDeleted: boolean;
}

export const nothingYet = (): Rules => ({ turns: [], entries: [], isHeld: false, isDeleted: false });

export const known = 'offline';
export const maxWaiting = 50;

export const activeTurn = ({ turns }: Rules) => turns.find(({ status }) => status === 'streaming');
export const waitingOf = ({ entries }: Rules) => entries.filter(({ state }) => state === 'queued');
/** An entry's current text. */
export const messageOf = ({ text, edits }: Entry) => (edits === 0 ? text : `${text}, edit ${edits}`);

/** Applies the operation to the rules' state, and returns the caller's answer. */
export function apply(rules: Rules, operation: Operation): string {
  if (rules.isDeleted) {
    if (operation.op === 'advance') return 'deleted';
    return operation.op === 'finish' || operation.op === 'fail' ? 'done' : 'not_found';
  }
  const active = activeTurn(rules);
  switch (operation.op) {
    case 'post':
      return post(rules, operation);
    case 'cancel': {
      const turn = rules.turns.find(({ text }) => text === operation.text);
      if (turn === undefined) return 'not_found';
      if (turn.status === 'streaming') {
        turn.status = 'cancelled';
        if (waitingOf(rules).length > 0) rules.isHeld = true;
      }
      const outcome = turn.status === 'cancelled' ? 'cancelled' : `already_${turn.status}`;
      return `${outcome}${rules.isHeld ? ', held' : ''}`;
    }
    case 'edit':
    case 'remove':
      return change(rules, operation);
    case 'resume':
      rules.isHeld = false;
      return 'done';
    case 'advance':
      return active === undefined ? dispatch(rules) : `turn of ${active.text}`;
    case 'finish':
    case 'fail':
      if (active?.text === operation.text) active.status = operation.op === 'finish' ? 'complete' : 'error';
      return 'done';
    case 'delete':
      if (active !== undefined) active.status = 'cancelled';
      rules.isDeleted = true;
      return 'done';
  }
}

function post(rules: Rules, { text, onBusy, model = known }: Extract<Operation, { op: 'post' }>): string {
  const active = activeTurn(rules);
  const waiting = waitingOf(rules).length;
  const isBusy = active !== undefined || rules.isHeld || waiting > 0;
  if (isBusy && onBusy === 'reject') return 'conversation_busy';
  if (isBusy && onBusy === 'enqueue') {
    if (waiting >= maxWaiting) return 'conversation_busy';
    rules.entries.push({ text, state: 'queued', revision: 1, behind: active?.text ?? '', model, edits: 0 });
    return `waits at ${waiting + 1}`;
  }
  if (active !== undefined) active.status = 'cancelled';
  rules.turns.push({ text, status: 'streaming' });
  return active === undefined ? 'begun' : `begun in place of ${active.text}`;
}

function change(rules: Rules, operation: Extract<Operation, { op: 'edit' | 'remove' }>): string {
  const entry = rules.entries.find(({ text }) => text === operation.text);
  if (entry === undefined) return 'not_found';
  if (operation.op === 'remove' && entry.state === 'removed') return `removed ${entry.revision}`;
  if (entry.state !== 'queued') return 'conflict';
  if ((operation.expectedRevision ?? entry.revision) !== entry.revision) return 'revision_conflict';
  entry.revision += 1;
  if (operation.op === 'edit') entry.edits += 1;
  else entry.state = 'removed';
  return `${entry.state} ${entry.revision}`;
}

function dispatch(rules: Rules): string {
  if (!rules.isHeld) {
    for (const entry of waitingOf(rules)) {
      entry.revision += 1;
      entry.state = entry.model === known ? 'dispatched' : 'failed';
      if (entry.state === 'failed') continue;
      rules.turns.push({ text: messageOf(entry), status: 'streaming' });
      return `turn of ${messageOf(entry)}`;
    }
  }
  return `idle, ${waitingOf(rules).length} waiting${rules.isHeld ? ', held' : ''}`;
}

/** What a client sees of it. */
export function shownBy(rules: Rules) {
  if (rules.isDeleted) return 'not_found' as const;
  return {
    messages: rules.turns.flatMap(({ text, status }) => [
      { role: 'user', status: 'complete', text },
      { role: 'assistant', status, text: '' },
    ]),
    messageCount: rules.turns.length * 2,
    active: activeTurn(rules)?.text ?? null,
    queueHeld: rules.isHeld,
    queue: waitingOf(rules).map((entry, index) => ({
      text: messageOf(entry),
      position: index + 1,
      state: 'queued',
      held: rules.isHeld,
      revision: entry.revision,
      behind: entry.behind,
    })),
  };
}
