import { z } from 'zod';
import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';

const mebibyte = 1_048_576;

const environment = storesEnvironment.extend({
  HOST: z.string().default('0.0.0.0'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  PUBLIC_URL: z.string().optional(),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1_200),
  QUERY_PROCESSES: z.coerce.number().int().min(2).max(64).default(4),
  QUERY_THREADS: z.coerce.number().int().min(1).max(256).default(2),
  QUERY_MEMORY_MIB: z.coerce.number().int().min(128).default(2_048),
  QUERY_TEMP_MIB: z.coerce.number().int().min(0).default(8_192),
  QUERY_ANSWER_MIB: z.coerce.number().int().min(1).max(512).default(64),
});

/** The API's settings, from the environment, checked once. */
export function readApiConfig(env: NodeJS.ProcessEnv) {
  const e = readEnvironment(environment, env);
  return {
    ...storesConfig(e),
    host: e.HOST,
    port: e.PORT,
    publicUrl: e.PUBLIC_URL,
    rateLimitPerMinute: e.RATE_LIMIT_PER_MINUTE,
    queries: {
      processes: e.QUERY_PROCESSES,
      threadsPerProcess: e.QUERY_THREADS,
      memoryLimitBytes: e.QUERY_MEMORY_MIB * mebibyte,
      tempLimitBytes: e.QUERY_TEMP_MIB * mebibyte,
      maxAnswerBytes: e.QUERY_ANSWER_MIB * mebibyte,
    },
  };
}
