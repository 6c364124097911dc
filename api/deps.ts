import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Probes } from '../data/readiness.ts';
import type { LakeAddresses } from '../domain/tables/lake-credentials/attach.ts';
import type { PublicClient } from '../domain/workspace/logins/public-clients.ts';
import type { IdentityProvider } from '../domain/workspace/people/identity-provider.ts';
import type { Service } from '../service/open.ts';
import type { BodyRules } from './plugins/body-bytes.ts';

/** Dependencies of the routes, opened once in main.ts. */
export interface ApiDeps extends Service {
  rateLimitPerMinute: number;
  /** Whether the API processes share their rate limits, through the database. */
  sharesRateLimits: boolean;
  publicUrl: string | undefined;
  /** Where holders of lake credentials reach the stores; undefined if none are issued. */
  lakeAddresses: LakeAddresses | undefined;
  /** Public clients of the operator's configuration. */
  publicClients: readonly PublicClient[];
  /** Whether public clients may register themselves. */
  allowClientRegistration: boolean;
  /** The Temporal UI that administrators are led to; undefined if there is none for them. */
  temporalUi: { url: string; namespace: string } | undefined;
  /** Where people sign in; undefined with local accounts. */
  identityProvider: IdentityProvider | undefined;
  /** Networks whose forwarding headers are trusted; default: none. */
  trustedProxies?: readonly string[];
  probes: Probes;
  /** Whether the process is about to stop, so that proxies should send requests elsewhere. */
  isDraining?: () => boolean;
  /** Limits of concurrent bodies; default: those of production. */
  bodyRules?: BodyRules;
  /** Validates every answer against its documented schema; used in tests. */
  validateResponses: boolean;
}

/** The app as resources see it: zod schemas type the handlers. */
export type Routes = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;
