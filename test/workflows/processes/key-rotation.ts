import { after, hourMs, type TestedProcess } from '../process.ts';

export const process: TestedProcess = {
  type: 'keyRotation',
  // A process with the old list of keys goes on writing for an hour, and each pass finds another value.
  life: (clock) => {
    const left = after(
      clock,
      hourMs,
      () => 1,
      () => 0,
    );
    const some = { column: 'lakes.reader_password', keyId: 'old', count: 1 };
    return {
      input: { keyId: 'new' },
      activities: {
        countSealedValues: async () => ({ counts: [{ ...some, count: await left() }], next: null }),
        resealValues: async () => ({ resealed: [some], changed: [], unopened: [], next: null }),
      },
      leastMs: hourMs,
    };
  },
  neverFails: 'It serves no resource, and its own test has its failures.',
};
