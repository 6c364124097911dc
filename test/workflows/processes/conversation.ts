import { address, dayMs, nothing, refused, type TestedProcess } from '../process.ts';
import { turns } from '../turns.ts';

export const process: TestedProcess = {
  type: 'conversation',
  life: () => ({ input: { conversationId: 'cnv_1' }, activities: turns(), leastMs: 330 * dayMs }),
  failure: {
    input: { conversationId: 'cnv_1' },
    activities: {
      advanceConversation: (() => {
        const nexts = [{ kind: 'turn', messageId: 'msg_1', waiting: 0 }];
        return async () => nexts.shift() ?? { kind: 'idle', waiting: 0, isHeld: false };
      })(),
      takeModelStep: refused('storage_unavailable'),
      failTurn: nothing,
    },
    told: {
      what: 'The turn of msg_1',
      code: 'storage_unavailable',
      advice: 'bring it back',
      address: `${address}/messages/msg_1`,
    },
    goesOn: true,
  },
};
