import { join } from 'node:path';
import { migrateToLatest } from '../migrations/migrate.ts';
import { chooseApiPort } from './api-port.ts';
import type { LocalConfig } from './config.ts';
import { buildConsole } from './console.ts';
import { ensureFirstClient } from './first-client.ts';
import { hostEnvironment } from './host-environment.ts';
import type { LocalState } from './local-state.ts';
import { type MailCatcherHandle, startMailCatcher } from './mail-catcher.ts';
import { type NodePartHandle, startNodePart } from './node-part.ts';
import { type ObjectStoreHandle, startObjectStore } from './object-store.ts';
import type { PartName } from './part.ts';
import { type PostgresHandle, startPostgres } from './postgres.ts';
import { type StackEnvironment, stackEnvironment } from './stack-environment.ts';
import type { Supervisor } from './supervisor.ts';
import { startTemporal, type TemporalHandle } from './temporal.ts';
import { ensureTools, type Tools } from './tools.ts';

/** The order in which parts are stopped: users of a part before the part. */
export const stopOrder: readonly (readonly PartName[])[] = [
  ['api'],
  ['worker'],
  ['temporal', 's3', 'mail'],
  ['postgres'],
];

/** The sender of mails if none is configured: they are caught, and cannot be replied to. */
const localSender = 'Analytics workspace <workspace@localhost>';

interface Stores {
  postgres?: PostgresHandle;
  s3?: ObjectStoreHandle;
  temporal?: TemporalHandle;
  mail?: MailCatcherHandle;
}

type StackOptions = { config: LocalConfig; supervisor: Supervisor; report: (line: string) => void };

export const logFileOf = (dataDir: string, name: PartName): string => join(dataDir, 'logs', `${name}.log`);

/** Starts everything and returns its state without process ids. */
export async function startStack(options: StackOptions): Promise<Omit<LocalState, 'pids'>> {
  const { config, report } = options;
  const apiPort = await chooseApiPort(config.apiPort);
  if (config.apiPort.wanted !== 0 && apiPort !== config.apiPort.wanted) {
    report(`Port ${config.apiPort.wanted} is taken. The API uses ${apiPort} instead.`);
  }
  // Nothing waits for it: the service works without.
  void buildConsole().then(
    (isBuilt) => isBuilt && report('Built the console.'),
    (error: Error) => report(`The console couldn't be built: ${error.message}`),
  );
  const tools = await ensureTools({ report });
  const stores = await startStores(options, tools);
  const environment = stackEnvironment(config, {
    databaseUrl: config.databaseUrl ?? stores.postgres?.databaseUrl ?? '',
    objectStore: config.objectStore ?? bucketOf(stores.s3),
    temporalAddress: config.temporalAddress ?? stores.temporal?.address ?? '',
    temporalUiUrl: config.temporalUiUrl ?? stores.temporal?.uiUrl ?? '',
    duckdbExtensionDir: tools.duckdbExtensionDir,
    apiPort,
    mail: config.mail ?? { smtpUrl: stores.mail?.smtpUrl ?? '', smtpFrom: localSender },
  });
  const { applied } = await migrateToLatest(environment.DATABASE_URL);
  if (applied.length > 0) report(`Migrated the database (${applied.length} applied).`);
  const isLocalDatabase = config.databaseUrl === undefined;
  const client = await ensureFirstClient({ dataDir: config.dataDir, environment, isLocalDatabase });
  const services = await startServices(options, environment);
  return {
    apiUrl: environment.PUBLIC_URL,
    docsUrl: `${environment.PUBLIC_URL}/docs`,
    temporalAddress: environment.TEMPORAL_ADDRESS,
    temporalUiUrl: environment.TEMPORAL_UI_URL || null,
    mailPageUrl: stores.mail?.pageUrl ?? null,
    metricsUrls: services.map(({ metricsPort }) => `http://127.0.0.1:${metricsPort}/metrics`),
    postgresPort: services.find(({ postgresPort }) => postgresPort !== undefined)?.postgresPort ?? null,
    databaseUrl: environment.DATABASE_URL,
    s3Endpoint: environment.S3_ENDPOINT,
    clientId: client.clientId,
    clientSecret: client.clientSecret,
    ownerUrl: client.ownerToken === undefined ? null : `${environment.PUBLIC_URL}/owner/${client.ownerToken}`,
    environment,
  };
}

/**
 * Starts the stores and the mail catcher concurrently, each unless its environment variable names another.
 */
async function startStores({ config, supervisor, report }: StackOptions, tools: Tools): Promise<Stores> {
  const place = (name: PartName) => ({
    dataDir: join(config.dataDir, name),
    logFile: logFileOf(config.dataDir, name),
  });
  const run: Supervisor['run'] = async (part) => {
    const startedMs = Date.now();
    const handle = await supervisor.run(part);
    report(`${part.name} is running (${((Date.now() - startedMs) / 1000).toFixed(1)} s).`);
    return handle;
  };
  const [postgres, s3, temporal, mail] = await Promise.all([
    config.databaseUrl === undefined
      ? run<PostgresHandle>({
          name: 'postgres',
          logFile: place('postgres').logFile,
          needs: [],
          start: (previous) =>
            startPostgres({ ...place('postgres'), sharedBuffersMib: 512, port: previous?.port }),
        })
      : undefined,
    config.objectStore === undefined
      ? run<ObjectStoreHandle>({
          name: 's3',
          logFile: place('s3').logFile,
          needs: [],
          start: (previous) => startObjectStore({ ...place('s3'), weed: tools.weed, port: previous?.port }),
        })
      : undefined,
    config.temporalAddress === undefined
      ? run<TemporalHandle>({
          name: 'temporal',
          logFile: place('temporal').logFile,
          needs: [],
          start: (previous) =>
            startTemporal({
              ...place('temporal'),
              temporal: tools.temporal,
              port: previous?.port,
              uiPort: previous?.uiPort,
            }),
        })
      : undefined,
    config.mail === undefined
      ? run<MailCatcherHandle>({
          name: 'mail',
          logFile: place('mail').logFile,
          needs: [],
          start: (previous) =>
            startMailCatcher({ ...place('mail'), port: previous?.port, pagePort: previous?.pagePort }),
        })
      : undefined,
  ]);
  return {
    ...(postgres && { postgres }),
    ...(s3 && { s3 }),
    ...(temporal && { temporal }),
    ...(mail && { mail }),
  };
}

async function startServices(
  { config, supervisor, report }: StackOptions,
  environment: StackEnvironment,
): Promise<NodePartHandle[]> {
  const startedMs = Date.now();
  const services = await Promise.all(
    (['api', 'worker'] as const).map((name) =>
      supervisor.run<NodePartHandle>({
        name,
        logFile: logFileOf(config.dataDir, name),
        needs: ['postgres', 's3', 'temporal'],
        start: (previous) =>
          startNodePart(
            {
              name,
              environment: { ...hostEnvironment(), ...environment },
              stackDir: config.dataDir,
              logFile: logFileOf(config.dataDir, name),
            },
            previous,
          ),
      }),
    ),
  );
  report(`The API and the worker are running (${((Date.now() - startedMs) / 1000).toFixed(1)} s).`);
  return services;
}

function bucketOf(store: ObjectStoreHandle | undefined) {
  return {
    endpoint: store?.endpoint ?? '',
    bucket: 'workspace',
    region: store?.region ?? '',
    accessKeyId: store?.accessKeyId ?? '',
    secretAccessKey: store?.secretAccessKey ?? '',
    iamEndpoint: store?.endpoint ?? '',
  };
}
