import { z } from 'zod';
import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';
import { modelsConfig, modelsEnvironment } from '../domain/analyst/models/config.ts';
import { telemetryConfig, telemetryEnvironment } from '../service/telemetry/config.ts';

const environment = storesEnvironment.extend({
  ...modelsEnvironment.shape,
  ...telemetryEnvironment.shape,
  AGENT_ACTIVITIES: z.coerce.number().int().min(2).max(1_000).default(128),
  AGENT_TURNS_PER_ORGANIZATION: z.coerce.number().int().min(1).max(1_000).default(32),
  LAKE_THREADS: z.coerce.number().int().min(1).max(256).default(2),
  LAKE_ACTIVITIES: z.coerce.number().int().min(2).max(64).default(2),
  LAKE_MAINTENANCE_INTERVAL_SECONDS: z.coerce.number().int().min(10).default(3_600),
  LAKE_RETENTION_DAYS: z.coerce.number().int().min(7).default(7),
  HOST: z.string().default('0.0.0.0'),
  HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).default(8081),
  WORKER_BUILD_ID: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .optional(),
});

/** The worker's settings, validated once from the environment. */
export function readWorkerConfig(env: NodeJS.ProcessEnv) {
  const e = readEnvironment(environment, env);
  return {
    ...storesConfig(e),
    models: modelsConfig(e),
    telemetry: telemetryConfig(e),
    host: e.HOST,
    healthPort: e.HEALTH_PORT,
    agentActivities: e.AGENT_ACTIVITIES,
    agent: { turnsPerOrganization: e.AGENT_TURNS_PER_ORGANIZATION },
    buildId: e.WORKER_BUILD_ID,
    lakeThreads: e.LAKE_THREADS,
    lakeActivities: e.LAKE_ACTIVITIES,
    lakeMaintenance: {
      intervalSeconds: e.LAKE_MAINTENANCE_INTERVAL_SECONDS,
      retentionDays: e.LAKE_RETENTION_DAYS,
    },
  };
}
