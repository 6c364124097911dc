import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { newTable, type Session } from './session.ts';

/** A project with an attached table, for conversations. */
async function project(session: Session): Promise<string> {
  const { id } = (await session.call('POST', '/v1/projects', { name: 'Talks' })).body.data;
  const columns = Array.from({ length: 49 }, (_, index) => ({ name: `column ${index} of many words` }));
  const table = await newTable(session, columns);
  await session.call('POST', `/v1/projects/${id}/catalog-entries`, { table_id: table });
  return `/v1/projects/${id}/conversations`;
}

const begin = async (session: Session, chats: string, message?: string): Promise<string> =>
  `${chats}/${(await session.call('POST', chats, message === undefined ? {} : { message })).body.data.id}`;

/** As long as a message may be, of words that almost match a column's name. */
const puzzle = 'colum of mny wrods and clumn '.repeat(1_100).slice(0, 32_000);

export const conversationAttacks: readonly Attack[] = [
  {
    name: 'conversations that all ask at once',
    atOnce: 24,
    async prepare(session) {
      const chats = await project(session);
      return async (count) => {
        const chat = await begin(session, chats);
        const message = count % 2 === 0 ? puzzle : 'How many rows are there by column 1 of many words?';
        return (await session.call('POST', `${chat}/messages`, { message, model: 'offline' })).status;
      };
    },
  },
  {
    name: 'fifty messages that wait, changed and shown',
    atOnce: 8,
    async prepare(session) {
      const chats = await project(session);
      return async () => {
        const chat = await begin(session, chats, 'first');
        for (let index = 0; index < 51; index += 1)
          await session.call('POST', `${chat}/messages`, { message: 'x'.repeat(32_000), model: 'offline' });
        await session.call('DELETE', chat);
        return (await session.call('GET', chats)).status;
      };
    },
  },
  {
    name: 'streams that are opened and dropped',
    atOnce: 20,
    async prepare(session) {
      const chats = await project(session);
      const chat = await begin(session, chats, 'What tables are there?');
      return async () => {
        const stop = new AbortController();
        const answer = await fetch(`${session.apiUrl}${chat}/events?after=0`, {
          headers: session.headers,
          signal: stop.signal,
        });
        await delay(20);
        stop.abort();
        return answer.status;
      };
    },
  },
];
