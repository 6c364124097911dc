import { mkdir } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { Logger } from 'pino';
import { type Cipher, createCipher } from '../data/encryption.ts';
import type { LakeDeps } from '../data/lake/commit.ts';
import type { LakeEngine } from '../data/lake/engine/contract.ts';
import { createMailer, type Mailer } from '../data/mail/mailer.ts';
import { createObjectKeys, type ObjectKeys } from '../data/objects/access-keys.ts';
import { createObjectStore, type ObjectStore } from '../data/objects/store.ts';
import { createOutgoing, type Outgoing } from '../data/outgoing/outgoing.ts';
import { createDatabase, type Database } from '../data/postgres/client.ts';
import { type Notifications, openNotifications } from '../data/postgres/notifications.ts';
import { createTemporalClient } from '../data/processes/connect.ts';
import { createProcesses, type Processes } from '../data/processes/processes.ts';
import { traceInterceptor } from '../data/processes/temporal.ts';
import type { storesConfig } from '../data/stores-config.ts';
import { type AppClients, createAppClients } from '../domain/analyst/app-connections/clients.ts';
import { conversationSources } from '../domain/analyst/conversations/report-sources.ts';
import type { ModelsConfig } from '../domain/analyst/models/config.ts';
import { createModels, type Models } from '../domain/analyst/models/models.ts';
import { playbooksOfReports } from '../domain/analyst/playbooks/lineage.ts';
import type { FireDeps } from '../domain/automation/schedules/fire.ts';
import { workflowsOfReports, workflowsOfTables } from '../domain/automation/workflows/definitions/lineage.ts';
import { nodeSecretsOf } from '../domain/automation/workflows/definitions/node-secret.ts';
import { startFire } from '../domain/automation/workflows/starts/fire.ts';
import { createSourceClients, type SourceClients } from '../domain/intake/data-connections/clients.ts';
import type { SourceCopier } from '../domain/intake/datasets/copy/copier.ts';
import { createSourceCopier } from '../domain/intake/datasets/copy/create.ts';
import { datasetsOfTables } from '../domain/intake/datasets/lineage.ts';
import { createPageParser } from '../domain/intake/datasets/pages/parser.ts';
import type { ReplicateDeps } from '../domain/intake/datasets/replicate.ts';
import { filesOfTables } from '../domain/intake/file-imports/lineage.ts';
import { createFileReader, type FileReader } from '../domain/intake/file-imports/reader.ts';
import { createPageWriter, type PageWriter } from '../domain/intake/ingestion/page-writer.ts';
import type { NodeSecrets } from '../domain/publishing/deliveries/attempt-http.ts';
import { type ChartDrawer, createChartDrawer } from '../domain/publishing/documents/drawer.ts';
import { createReportFormatter, type ReportFormatter } from '../domain/publishing/documents/formatter.ts';
import type { ReportSources } from '../domain/publishing/reports/assets.ts';
import { reportsOfTables } from '../domain/publishing/reports/lineage.ts';
import type { BuildLimits } from '../domain/tables/calculated-tables/deps.ts';
import { createTableKeys, type TableKeys } from '../domain/tables/iceberg/keys.ts';
import { createIcebergTables, type IcebergTables } from '../domain/tables/iceberg/load.ts';
import { createLineageDrawer, type LineageDrawer } from '../domain/tables/lineage/draw.ts';
import type { LineageEnds } from '../domain/tables/lineage/ends.ts';
import { createQueryHistory, type QueryHistory } from '../domain/tables/query/history.ts';
import { createQueryPool, type QueryPool } from '../domain/tables/query/pool/pool.ts';
import { type RememberedAnswers, rememberAnswers } from '../domain/tables/query/remembered-answers.ts';
import { type RememberedNames, rememberNames } from '../domain/tables/query/remembered-names.ts';
import { type BodyReader, createBodyReader } from '../domain/tables/row-input/reading/reader.ts';
import { type Appender, createAppender } from '../domain/tables/rows/append-queue.ts';
import { createRowsBodies, type RowsBodies } from '../domain/tables/rows/body.ts';
import { offlineModel } from '../packages/offline-analyst/index.ts';
import { traceHeader } from '../workflows/trace-header.ts';
import { type LakeOptions, openLakes } from './engine-process/open.ts';

/** The dependencies of routes, activities and the reconciler. */
export interface Service {
  db: Database;
  cipher: Cipher;
  objects: ObjectStore;
  /** Makes keys that read one lake; undefined if the object store cannot. */
  objectKeys: ObjectKeys | undefined;
  /** Tables as Iceberg engines see them, and keys for their files. */
  iceberg: IcebergTables;
  icebergKeys: TableKeys;
  lake: LakeDeps;
  /** Engine processes for long work that holds no table's lock. */
  staging: LakeEngine;
  append: Appender;
  /** Reads files in engine processes, for previews and imports. */
  files: FileReader;
  /** Reads bodies with lists of records; large ones outside the event loop. */
  reader: BodyReader;
  rows: RowsBodies;
  /** Writes staged pages as Parquet. */
  pages: PageWriter;
  /** Runs users' SQL; its processes start when needed. */
  queries: QueryPool;
  /** What queries remember: their records, names and answers. */
  history: QueryHistory;
  names: RememberedNames;
  answers: RememberedAnswers;
  /** Builds calculated tables, so that long ones take no process from statements that people wait for. */
  builds: QueryPool;
  buildLimits: BuildLimits;
  processes: Processes;
  startWorkflowFire: FireDeps['startWorkflowFire'];
  /** Notifies readers of conversations of changes made by any process. */
  notifications: Notifications;
  /** The configured language models and their limits. */
  models: Models;
  monthlyTokenBudget: number | undefined;
  charts: ChartDrawer;
  /** Requests to addresses named by workflows. */
  outgoing: Outgoing;
  /** Sessions with the servers of app connections. */
  apps: AppClients;
  /** Clients of the sources of data connections. */
  sources: SourceClients;
  /** Copies sources to Parquet. */
  copier: SourceCopier;
  /** Reads sources page by page. */
  replication: ReplicateDeps['replication'];
  /** What reports may refer to. */
  reportSources: ReportSources;
  /** Renders reports as documents. */
  reportFormats: ReportFormatter;
  /** Where lineage begins and ends outside the tables. */
  lineageEnds: LineageEnds;
  lineagePictures: LineageDrawer;
  /** Secrets of workflows' delivery nodes. */
  nodeSecrets: NodeSecrets;
  mailer: Mailer;
  /** Limit per organization within 24 hours. */
  mailsPerDay: number;
  logger: Logger;
}

export interface OpenOptions {
  /** Identifies the sessions of this process. */
  applicationName: string;
  maxConnections: number;
  lakeThreads: number;
  staging: LakeOptions['staging'];
  /** Whether each pool has a process before any work comes; true if left out. */
  startsEarly?: boolean;
  /** How long requests wait for the workflows service; left out, as long as in production. */
  processDeadlineMs?: number;
  /** Whether each record of a statement is written before its answer is given; false if left out. */
  recordsAtOnce?: boolean;
  logger: Logger;
}

export interface OpenService {
  service: Service;
  pool: pg.Pool;
  /** All connections to PostgreSQL but those with a purpose of their own, by name. */
  pools: Readonly<Record<string, pg.Pool>>;
  temporal: Client;
  /** Ends work under way and closes every store. */
  close(): Promise<void>;
}

/** Opens no connection by itself: an unavailable store is reported when it is used. */
export async function openService(
  config: ReturnType<typeof storesConfig> & { models: ModelsConfig },
  {
    applicationName,
    maxConnections,
    lakeThreads,
    startsEarly,
    staging: stagingOptions,
    processDeadlineMs,
    recordsAtOnce,
    logger,
  }: OpenOptions,
): Promise<OpenService> {
  const { workDir, extensionDir } = config;
  await mkdir(workDir, { recursive: true });
  const cipher = createCipher(config.encryptionKeys);
  const { db, pool } = createDatabase({ url: config.databaseUrl, maxConnections, applicationName });
  const objects = createObjectStore(config.objectStore);
  const objectKeys = createObjectKeys(config.objectStore, config.iamEndpoint);
  const lakes = openLakes({
    ...config,
    cipher,
    memoryLimitBytes: config.lakeMemoryBytes,
    maxTextsCharacters: config.queries.maxAnswerBytes,
    threads: lakeThreads,
    processes: config.lakeProcesses,
    startsEarly,
    staging: stagingOptions,
    applicationName,
    logger,
  });
  const { lake, staging } = lakes;
  const place = { extensionDir, objectStore: config.objectStore, workDir, startsEarly, logger };
  const queries = createQueryPool({ name: 'query', ...config.queries, ...place });
  const history = createQueryHistory(db, logger, recordsAtOnce);
  const builds = createQueryPool({ name: 'build', ...config.queries, ...config.builds, ...place });
  const temporal = createTemporalClient(config.temporal, { workflow: [traceInterceptor(traceHeader)] });
  const processes = createProcesses(db, temporal, {
    isRemote: config.temporal.tls,
    deadlineMs: processDeadlineMs,
  });
  const reader = createBodyReader();
  const charts = createChartDrawer();
  const outgoing = createOutgoing({ allowedPrivate: config.outgoing.allowedPrivate });
  const apps = createAppClients({ cipher, ...config.outgoing });
  const parser = createPageParser();
  const sources = createSourceClients({ db, cipher, ...config.outgoing });
  const reportFormats = createReportFormatter();
  const lineagePictures = createLineageDrawer();
  const notifications = openNotifications({
    url: config.databaseUrl,
    applicationName,
    logger,
  });
  return {
    service: {
      db,
      cipher,
      objects,
      objectKeys,
      iceberg: createIcebergTables({ lake, objects }),
      icebergKeys: createTableKeys({ db, objectKeys }),
      lake,
      staging,
      append: createAppender({ db, lake }),
      files: createFileReader(staging),
      reader,
      rows: await createRowsBodies(reader, workDir),
      pages: await createPageWriter({ engine: lake.engine, reader, objects, workDir }),
      queries,
      history,
      names: rememberNames(db),
      answers: rememberAnswers(),
      builds,
      buildLimits: config.builds,
      processes,
      startWorkflowFire: (fire) => startFire({ db, processes }, fire),
      notifications,
      models: createModels(config.models, offlineModel()),
      monthlyTokenBudget: config.models.monthlyTokenBudget,
      charts,
      outgoing,
      apps,
      sources,
      copier: createSourceCopier({
        sources,
        staging,
        objects,
        workDir,
        maxBytes: config.snapshotMaxBytes,
      }),
      replication: {
        db,
        objects,
        sources,
        staging,
        files: createFileReader(staging),
        parser,
        maxBytes: config.snapshotMaxBytes,
      },
      reportSources: conversationSources(objects),
      reportFormats,
      lineageEnds: {
        sources: [filesOfTables, datasetsOfTables],
        uses: [reportsOfTables, workflowsOfTables],
        makers: [playbooksOfReports, workflowsOfReports],
      },
      lineagePictures,
      nodeSecrets: nodeSecretsOf({ db, cipher }),
      mailer: createMailer(config.mail),
      mailsPerDay: config.mailsPerDay,
      logger,
    },
    pool,
    pools: { service: pool, ...lakes.pools },
    temporal,
    async close() {
      await Promise.all([
        queries.close(),
        builds.close(),
        reader.close(),
        parser.close(),
        charts.close(),
        reportFormats.close(),
        lineagePictures.close(),
        notifications.close(),
        outgoing.close(),
        apps.close(),
        sources.close(),
      ]);
      await history.close();
      await temporal.connection.close().catch(() => undefined);
      await lakes.close();
      await db.destroy();
      objects.close();
      objectKeys?.close();
    },
  };
}
