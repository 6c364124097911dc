import { isIP } from 'node:net';
import { z } from 'zod';
import { readEnvironment, storesConfig, storesEnvironment } from '../data/stores-config.ts';
import { modelsConfig, modelsEnvironment } from '../domain/analyst/models/config.ts';
import type { PublicClient } from '../domain/workspace/logins/public-clients.ts';
import type { OidcSettings } from '../domain/workspace/people/identity-provider.ts';
import { telemetryConfig, telemetryEnvironment } from '../service/telemetry/config.ts';

const environment = storesEnvironment.extend({
  ...modelsEnvironment.shape,
  ...telemetryEnvironment.shape,
  HOST: z.string().default('0.0.0.0'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  METRICS_PORT: z
    .union(
      [z.literal('off'), z.coerce.number().int().min(0).max(65_535)],
      'METRICS_PORT must be a port or off.',
    )
    .default(9_464),
  PG_PORT: z
    .union([z.literal('off'), z.coerce.number().int().min(0).max(65_535)], 'PG_PORT must be a port or off.')
    .default('off'),
  PG_TLS_CERT: z.string().min(1).optional(),
  PG_TLS_KEY: z.string().min(1).optional(),
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(300).default(10),
  // Paths are put behind it.
  PUBLIC_URL: z
    .string()
    .transform((url) => url.replace(/\/$/, ''))
    .optional(),
  RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(1_200),
  RATE_LIMIT_STORE: z.enum(['memory', 'postgres']).default('memory'),
  TRUSTED_PROXIES: z.string().default('').transform(networks),
  PUBLIC_CLIENTS: z.string().default('[]').transform(publicClients),
  ALLOW_CLIENT_REGISTRATION: z.stringbool().default(false),
  TEMPORAL_UI_URL: z.url({ protocol: /^https?$/ }).optional(),
  OIDC_ISSUER: z.string().transform(issuerUrl).optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_SCOPES: z
    .string()
    .refine((scopes) => scopes.split(' ').includes('openid'), 'OIDC_SCOPES must contain openid.')
    .default('openid email profile'),
  OIDC_LABEL: z.string().max(100).optional(),
  PREVIEW_PROCESSES: z.coerce.number().int().min(2).max(64).default(2),
});

/** The API's settings, validated once from the environment. */
export function readApiConfig(env: NodeJS.ProcessEnv) {
  const e = readEnvironment(environment, env);
  return {
    ...storesConfig(e),
    models: modelsConfig(e),
    telemetry: telemetryConfig(e),
    host: e.HOST,
    port: e.PORT,
    metricsPort: e.METRICS_PORT === 'off' ? undefined : e.METRICS_PORT,
    postgres: postgresSettings(e),
    drainMs: e.DRAIN_SECONDS * 1_000,
    publicUrl: e.PUBLIC_URL,
    rateLimitPerMinute: e.RATE_LIMIT_PER_MINUTE,
    sharesRateLimits: e.RATE_LIMIT_STORE === 'postgres',
    trustedProxies: e.TRUSTED_PROXIES,
    publicClients: e.PUBLIC_CLIENTS,
    allowClientRegistration: e.ALLOW_CLIENT_REGISTRATION,
    temporalUi: temporalUi(e),
    oidc: oidcSettings(e),
    previewProcesses: e.PREVIEW_PROCESSES,
  };
}

/**
 * Undefined if PostgreSQL's clients are not served.
 *
 * @throws Error if one of the two files is set without the other
 */
function postgresSettings(e: z.infer<typeof environment>) {
  const { PG_PORT: port, PG_TLS_CERT: certificate, PG_TLS_KEY: key } = e;
  if ((certificate === undefined) !== (key === undefined))
    throw new Error('Set both PG_TLS_CERT and PG_TLS_KEY, or neither.');
  if (port === 'off') return undefined;
  return { port, tls: certificate === undefined || key === undefined ? undefined : { certificate, key } };
}

/** Its pages are below a path that may be more than the root. */
function temporalUi({ TEMPORAL_UI_URL: url, TEMPORAL_NAMESPACE: namespace }: z.infer<typeof environment>) {
  return url === undefined ? undefined : { url: url.endsWith('/') ? url.slice(0, -1) : url, namespace };
}

/**
 * Undefined if people sign in with local accounts.
 *
 * @throws Error if the provider is set without the client
 */
function oidcSettings(e: z.infer<typeof environment>): OidcSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = e;
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined)
    throw new Error('Set both OIDC_ISSUER and OIDC_CLIENT_ID, or neither.');
  return {
    issuer,
    clientId,
    clientSecret: e.OIDC_CLIENT_SECRET,
    scopes: e.OIDC_SCOPES,
    label: e.OIDC_LABEL ?? issuer.host,
  };
}

/** Whoever can change the answers of the provider signs in as anybody, so they are not sent in the clear. */
function issuerUrl(text: string, context: z.RefinementCtx): URL {
  const url = URL.parse(text);
  const isLoopback = url !== null && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url;
  context.addIssue({ code: 'custom', message: 'It must be an https address or an address of this machine.' });
  return z.NEVER;
}

const publicClient = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,64}$/),
  name: z.string().min(1).max(100),
  redirectUris: z.array(z.string()).max(20),
});

/**
 * JSON:
 * `[{"id": "notebook", "name": "Notebook", "redirectUris": ["https://notebook.example.com/callback"]}]`.
 */
function publicClients(json: string, context: z.RefinementCtx): PublicClient[] {
  try {
    return z.array(publicClient).parse(JSON.parse(json));
  } catch (cause) {
    const message = `It must be a JSON list of {id, name, redirectUris}: ${(cause as Error).message}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  }
}

/** Addresses and networks such as 10.0.0.0/8, separated by commas. */
function networks(list: string, context: z.RefinementCtx): string[] {
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== '');
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.split('/');
    const most = isIP(address) === 4 ? 32 : 128;
    const isNetwork =
      bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most);
    if (isIP(address) !== 0 && isNetwork && rest.length === 0) continue;
    context.addIssue({ code: 'custom', message: `${entry} must be an address or a network.` });
  }
  return entries;
}
