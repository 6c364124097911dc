import { expect, test } from 'vitest';
import { compareTalk } from './compare-talk.ts';
import { createJournal, invariants } from './journal.ts';
import { scriptedModel, tokensEach, wholeReply } from './talk-model.ts';
import type { Data, Post } from './talks.ts';

const question = (no: number) => `How many? (q-1-1-${no})`;

const postOf = (no: number, more: Partial<Post> = {}): Post => ({
  tag: `q-1-1-${no}`,
  talker: 1,
  onBusy: 'enqueue',
  model: scriptedModel,
  questions: [question(no)],
  fate: 'acknowledged',
  userMessageId: `user ${no}`,
  queuedId: undefined,
  isEdited: false,
  removal: 'none',
  ...more,
});

/** The message and its reply, as GET shows them. */
function turn(no: number, more: Data = {}): Data[] {
  const whole = wholeReply(question(no));
  const tokens = whole.steps * tokensEach;
  const calls = Array.from({ length: whole.calls }, () => ({ type: 'tool_call', status: 'done' }));
  return [
    { id: `user ${no}`, role: 'user', content: question(no), status: 'complete' },
    {
      id: `reply ${no}`,
      role: 'assistant',
      status: 'complete',
      content: whole.content,
      parts: [...calls, { type: 'text', text: whole.content }],
      usage: { inputTokens: tokens, outputTokens: tokens },
      error: null,
      displayContent: whole.content,
      ...more,
    },
  ];
}

function breachesOf(posts: Post[], messages: Data[], stops: string[] = []) {
  const journal = createJournal(() => {});
  const events = messages.map((message, index) => ({
    id: index + 1,
    event: 'message.created',
    data: { messageId: message.id, message },
  }));
  const talk = {
    path: 'talk',
    posts,
    stops: new Set(stops),
    ends: new Map(),
    shown: [],
    follower: { events },
  };
  compareTalk(journal, talk, { messages, queuedTurns: [], queueHeld: false, lastEventId: events.length });
  const names = Object.keys(invariants) as (keyof typeof invariants)[];
  return names.filter((name) => name !== 'applied' && journal.breaches(name).length > 0);
}

test('every acknowledged message is there once, answered once and in order', () => {
  const posts = [postOf(1), postOf(2)];
  expect(breachesOf(posts, [...turn(1), ...turn(2)])).toEqual([]);
  expect(breachesOf(posts, turn(1))).toEqual(['messageLost']);
  expect(breachesOf(posts, [...turn(2), ...turn(1)])).toEqual(['messageOrder']);
  expect(breachesOf(posts, [...turn(1), ...turn(2), ...turn(2)])).toContain('messageDoubled');
  expect(breachesOf(posts, [...turn(1), ...turn(2), turn(2)[1]])).toContain('messageDoubled');
  expect(breachesOf([postOf(1), postOf(2, { removal: 'acknowledged' })], [...turn(1), ...turn(2)])).toEqual([
    'messageUnaccounted',
  ]);
  expect(breachesOf([postOf(1)], [...turn(1), ...turn(2)])).toEqual(['messageUnaccounted']);
});

test('a reply is its answer, whole and once, or the beginning of it where it was stopped', () => {
  const { content } = wholeReply(question(1));
  const half = content.slice(0, 20);
  const broken = { code: 'model_refused', message: 'No.' };
  expect(breachesOf([postOf(1)], turn(1, { content: content + content }))).toEqual(['answer']);
  expect(breachesOf([postOf(1)], turn(1, { content: half }))).toEqual(['answer']);
  expect(breachesOf([postOf(1)], turn(1, { status: 'cancelled', content: half }), ['reply 1'])).toEqual([]);
  expect(breachesOf([postOf(1)], turn(1, { status: 'cancelled', content: half }))).toEqual(['turnEnd']);
  expect(breachesOf([postOf(1)], turn(1, { status: 'error', content: half, error: broken }))).toEqual([
    'turnEnd',
  ]);
  expect(breachesOf([postOf(1)], turn(1, { status: 'streaming', content: half }))).toContain('turnStuck');
});
