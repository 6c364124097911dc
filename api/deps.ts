import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Service } from '../service/open.ts';
import type { BodyRules } from './plugins/body-bytes.ts';

/** Everything a route may use, made once in main.ts. */
export interface ApiDeps extends Service {
  rateLimitPerMinute: number;
  publicUrl: string | undefined;
  /** Networks whose word on whom they forward for is taken; none where left out. */
  trustedProxies?: readonly string[];
  /** Asks each dependency whether it answers, by name. */
  probes: Readonly<Record<'postgres' | 'objectStore' | 'temporal', () => Promise<unknown>>>;
  /** Bounds of bodies at once; left out, those of production. */
  bodyRules?: BodyRules;
  /** Checks every answer against its documented schema: on in tests, where a mismatch must show. */
  validateResponses: boolean;
}

/** The app as resources see it: their zod schemas type their handlers. */
export type Routes = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;
