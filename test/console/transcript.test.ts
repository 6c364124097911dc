import { expect, test } from 'vitest';
import type { ConversationEvent } from '../../clients/typescript/src/index.ts';
import { apply, replyUnderWay, type Transcript, textOf } from '../../console/src/ask/transcript.ts';

const message = {
  id: 'msg_1',
  role: 'assistant',
  status: 'streaming',
  parts: [],
} as unknown as Transcript['messages'][number];
const begun: Transcript = {
  ...{ title: '', messages: [message], olderCursor: null, queue: [], isHeld: false, lastEventId: 10 },
};
const delta = (id: number, partIndex: number, text: string) =>
  ({ id, event: 'text.delta', data: { messageId: 'msg_1', partIndex, text } }) as ConversationEvent;
const retracted = (id: number, partIndex: number) =>
  ({ id, event: 'part.retracted', data: { messageId: 'msg_1', partIndex } }) as ConversationEvent;
const after = (...events: ConversationEvent[]) => events.reduce(apply, begun);

test('texts grow where they are, in the order of their parts, and an event that was applied changes nothing', () => {
  const transcript = after(
    delta(11, 0, 'One'),
    delta(12, 1, 'Two'),
    delta(13, 0, ' more'),
    delta(13, 0, ' twice'),
  );
  expect(textOf(transcript.messages[0]!)).toBe('One more\n\nTwo');
  expect(transcript.lastEventId).toBe(13);
});

test('parts that were retracted are missing, however many they are', () => {
  const transcript = after(
    ...[delta(11, 0, 'One'), delta(12, 1, 'Two'), retracted(13, 1), retracted(14, 0), delta(15, 2, 'Again')],
  );
  const { parts } = transcript.messages[0]!;
  expect(Object.entries(parts)).toEqual([['2', { type: 'text', text: 'Again' }]]);
});

test('what waits is in order of its place, and leaves when its turn comes', () => {
  const queued = (id: number, name: string, position: number, state = 'queued', isHeld = false) =>
    ({
      id,
      event: 'queue.changed',
      data: { queueHeld: isHeld, waiting: 0, queuedMessage: { id: name, position, state } },
    }) as unknown as ConversationEvent;
  const waiting = after(queued(11, 'second', 2), queued(12, 'first', 1, 'queued', true));
  expect([waiting.isHeld, waiting.queue.map(({ id }) => id)]).toEqual([true, ['first', 'second']]);
  expect(apply(waiting, queued(13, 'first', 0, 'dispatched')).queue.map(({ id }) => id)).toEqual(['second']);
  const finished = {
    ...{ id: 14, event: 'turn.finished' },
    data: { messageId: 'msg_1', status: 'complete', error: null, usage: null, completedAt: 'now' },
  } as unknown as ConversationEvent;
  expect([replyUnderWay(waiting)?.id, replyUnderWay(apply(waiting, finished))]).toEqual(['msg_1', undefined]);
});
