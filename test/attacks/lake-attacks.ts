import pg from 'pg';
import type { Attack } from './attack.ts';

const sessions = 3;

export const lakeAttacks: readonly Attack[] = [
  {
    name: 'notifications from the role of a lake',
    atOnce: sessions,
    async prepare(session) {
      const issued = await session.call('POST', '/v1/lake/credentials', { name: 'loud' });
      if (issued.status !== 201) throw new Error(`${issued.status}: ${issued.body.detail}`);
      const open: pg.Client[] = [];
      for (let count = 0; count < sessions; count += 1) {
        const connection = new pg.Client({ connectionString: issued.body.data.database.url });
        connection.on('error', () => undefined);
        await connection.connect();
        open.push(connection);
      }
      return async (count) => {
        const connection = open[count % sessions]!;
        const payload = 'repeat(chr(97 + i % 26), 200) || i';
        return connection
          .query(`SELECT pg_notify('conversation_events', ${payload}) FROM generate_series(1, 2000) AS t(i)`)
          .then(
            () => 'notified',
            (error: Error) => error.message,
          );
      };
    },
  },
];
