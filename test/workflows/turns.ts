import { dayMs, nothing } from './process.ts';

/** Fifteen turns of a conversation, each with a call that nobody decides on for a day. */
export function turns() {
  let left = 15;
  const decided = new Map<string, number>();
  return {
    advanceConversation: async () => {
      left -= 1;
      return left < 0
        ? { kind: 'idle', waiting: 0, isHeld: false }
        : { kind: 'turn', messageId: `msg_${left}`, waiting: 0 };
    },
    beginTurn: async () => true,
    takeModelStep: async (_: unknown, step: number, isLast: boolean) =>
      isLast ? { kind: 'ended' } : { kind: 'tools', partIndexes: [0, 1, 2], waits: step > 0 },
    callTool: nothing,
    // There is no decision on any call until a day is over.
    readDecisions: async ({ messageId }: { messageId: string }) => {
      const looks = (decided.get(messageId) ?? 0) + 1;
      decided.set(messageId, looks);
      return { kind: 'decided', partIndexes: [], waitMs: looks % 2 === 1 ? dayMs : null };
    },
    ...{ failTurn: nothing, cancelTurn: nothing, failToolCall: nothing, removeConversation: nothing },
  };
}
