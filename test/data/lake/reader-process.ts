/** Reads a lake's table whenever it is asked to, in a process of its own: what it does to its engine stays there. */
import { createCipher } from '../../../data/encryption.ts';
import { openLakes } from '../../../data/lake/open.ts';
import { readWorkerConfig } from '../../../worker/config.ts';

const config = readWorkerConfig(process.env);
const { lake } = await openLakes({
  ...config,
  cipher: createCipher(config.encryptionKeys),
  memoryLimitBytes: 200_000_000,
  threads: 1,
  applicationName: 'reader',
  onBroken: () => process.send!('broken'),
});
const { writer } = await lake.catalog.get(process.argv[2]!);
process.on('message', (sql: string) => {
  lake.engine
    .use(writer, (connection) => connection.run(sql))
    .then(
      () => process.send!('done'),
      () => process.send!('failed'),
    );
});
process.send!('ready');
