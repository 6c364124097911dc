import { randomUUID } from 'node:crypto';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { AppError } from '../data/errors.ts';
import { traceIdOf } from '../data/telemetry/spans.ts';
import { createRecorder } from '../domain/workspace/audit/recorder.ts';
import { findAccessToken } from '../domain/workspace/organizations/access.ts';
import { appConnectionsRoutes } from './analyst/app-connections/routes.ts';
import { conversationsRoutes } from './analyst/conversations/routes.ts';
import { modelsRoutes } from './analyst/models/routes.ts';
import { playbooksRoutes } from './analyst/playbooks/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { apiClientsRoutes } from './auth/client-routes.ts';
import { deviceLoginRoutes } from './auth/device-routes.ts';
import { authRoutes } from './auth/routes.ts';
import { sessionsRoutes } from './auth/session-routes.ts';
import { hooksRoutes } from './automation/hooks/routes.ts';
import { schedulesRoutes } from './automation/schedules/routes.ts';
import { scheduleRunsRoutes } from './automation/schedules/run-routes.ts';
import { workflowActivationRoutes } from './automation/workflows/activation-routes.ts';
import { workflowDeliveriesRoutes } from './automation/workflows/delivery-routes.ts';
import { workflowsRoutes } from './automation/workflows/routes.ts';
import { workflowRunsRoutes } from './automation/workflows/run-routes.ts';
import { workflowTriggersRoutes } from './automation/workflows/trigger-routes.ts';
import { consoleRoutes } from './console/routes.ts';
import type { ApiDeps, Routes } from './deps.ts';
import { identityRoutes } from './identity/routes.ts';
import { dataConnectionsRoutes } from './intake/data-connections/routes.ts';
import { dataSyncsRoutes } from './intake/data-syncs/routes.ts';
import { datasetsRoutes } from './intake/datasets/routes.ts';
import { snapshotsRoutes } from './intake/datasets/snapshots.ts';
import { quarantineReplaysRoutes } from './intake/ingestion-batches/replays.ts';
import { ingestionBatchesRoutes } from './intake/ingestion-batches/routes.ts';
import { previewsRoutes } from './intake/previews/routes.ts';
import { tableImportsRoutes } from './intake/table-imports/routes.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { invitationsRoutes } from './members/invitation-routes.ts';
import { membersRoutes } from './members/routes.ts';
import { pagesRoutes } from './pages/routes.ts';
import { audit } from './plugins/audit.ts';
import { auth } from './plugins/auth.ts';
import { answerUnreadable, errors, sendProblem } from './plugins/errors.ts';
import { httpHeaders } from './plugins/http-headers.ts';
import { idempotency } from './plugins/idempotency.ts';
import { bodyLimits, jsonBody } from './plugins/json-body.ts';
import { noBody } from './plugins/no-body.ts';
import { openapi } from './plugins/openapi.ts';
import { type RateLimit, rateLimit } from './plugins/rate-limit.ts';
import { routeRules } from './plugins/route-rules.ts';
import { shareBuckets } from './plugins/shared-buckets.ts';
import { tableWrites } from './plugins/table-writes.ts';
import { telemetry } from './plugins/telemetry.ts';
import { unknownRoutes } from './plugins/unknown-routes.ts';
import { validation } from './plugins/validation.ts';
import { dashboardsRoutes } from './publishing/dashboards/routes.ts';
import { reportsRoutes } from './publishing/reports/routes.ts';
import { savedQueriesRoutes } from './publishing/saved-queries/routes.ts';
import { sharesRoutes } from './publishing/shares/routes.ts';
import { systemRoutes } from './system/routes.ts';
import { catalogEntriesRoutes } from './tables/catalog-entries/routes.ts';
import { exportsRoutes } from './tables/exports/routes.ts';
import { calculationRoutes } from './tables/grid-tables/calculation-routes.ts';
import { gridTablesRoutes } from './tables/grid-tables/routes.ts';
import { icebergRoutes } from './tables/iceberg/routes.ts';
import { icebergUnsupportedRoutes } from './tables/iceberg/unsupported-routes.ts';
import { icebergWriteRoutes } from './tables/iceberg/write-routes.ts';
import { lakeCredentialsRoutes } from './tables/lake-credentials/routes.ts';
import { lakeMaintenanceRoutes } from './tables/lake-maintenance/routes.ts';
import { lineageRoutes } from './tables/lineage/routes.ts';
import { profilesRoutes } from './tables/profiles/routes.ts';
import { queryExecutionsRoutes } from './tables/query-executions/routes.ts';
import { rowsRoutes } from './tables/rows/routes.ts';
import { tableGrantsRoutes } from './tables/tables/grant-routes.ts';
import { tablesRoutes } from './tables/tables/routes.ts';
import { testDefinitionsRoutes } from './tables/verification/definition-routes.ts';
import { testOverlaysRoutes } from './tables/verification/overlay-routes.ts';
import { testPreviewsRoutes } from './tables/verification/preview-routes.ts';
import { verificationRunsRoutes } from './tables/verification/run-routes.ts';
import { viewsRoutes } from './tables/views/routes.ts';
import { appsRoutes } from './workspace/apps/routes.ts';
import { filesRoutes } from './workspace/files/routes.ts';
import { projectsRoutes } from './workspace/projects/routes.ts';
import { runsRoutes } from './workspace/runs/routes.ts';
import { temporalUiRoute } from './workspace/runs/temporal-ui-route.ts';

declare module 'fastify' {
  interface FastifyInstance {
    rateLimit: RateLimit;
  }
}

const safeRequestId = /^[A-Za-z0-9._:@/+=-]{1,128}$/;

/** Registers every plugin and every resource, in order. */
export async function buildApp(deps: ApiDeps): Promise<Routes> {
  const { trustedProxies = [] } = deps;
  const limit = rateLimit(deps.rateLimitPerMinute);
  const fastify: FastifyInstance = Fastify({
    loggerInstance: deps.logger as FastifyBaseLogger,
    // Node would answer a request without a host itself, without a problem document.
    http: { requireHostHeader: false },
    bodyLimit: bodyLimits.json,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && safeRequestId.test(given) ? given : randomUUID();
    },
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    // Requests in progress when the server closes are answered normally; then their connections end.
    return503OnClosing: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    frameworkErrors: (error, request, sent) => {
      const reply = sent as unknown as FastifyReply;
      reply.header('x-request-id', request.id);
      let problem = new AppError('invalid_request', error.message);
      try {
        limit.byAddress(request as unknown as FastifyRequest, reply);
      } catch (limited) {
        problem = limited as AppError;
      }
      sendProblem(reply, problem);
    },
    clientErrorHandler: (error, socket) =>
      answerUnreadable(error, socket, limit.headersFor(socket.remoteAddress ?? '')),
  });
  fastify.decorate('rateLimit', limit);
  telemetry(fastify);
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // A proxy that keeps connections opens the next one elsewhere.
    if (deps.isDraining?.()) reply.header('connection', 'close');
  });
  // One line per answered request, without its content.
  fastify.addHook('onResponse', async (request, reply) => {
    const { method, caller } = request;
    const route = request.routeOptions.url;
    const { statusCode: status, elapsedTime: elapsedMs } = reply;
    request.log.info(
      {
        method,
        route,
        status,
        elapsedMs,
        organizationId: caller?.organizationId,
        traceId: traceIdOf(request.traced?.span),
      },
      'answered',
    );
  });
  if (deps.sharesRateLimits) {
    const shared = shareBuckets(deps.db, limit.buckets, deps.logger);
    fastify.addHook('onClose', async () => shared.stop());
  }
  errors(fastify);
  routeRules(fastify);
  validation(fastify, deps.validateResponses);
  jsonBody(fastify, deps.reader, deps.bodyRules);
  noBody(fastify);
  httpHeaders(fastify, limit);
  unknownRoutes(fastify, limit);
  const record = createRecorder(deps.db);
  audit(fastify, record);
  auth(fastify, (token) => findAccessToken(deps.db, token), limit);
  tableWrites(fastify, deps.db);
  idempotency(fastify, deps);
  await openapi(fastify, deps.publicUrl);

  const app = fastify.withTypeProvider<ZodTypeProvider>();
  systemRoutes(app, deps);
  authRoutes(app, deps, record);
  apiClientsRoutes(app, deps);
  deviceLoginRoutes(app, deps);
  sessionsRoutes(app, deps);
  membersRoutes(app, deps);
  invitationsRoutes(app, deps);
  pagesRoutes(app, deps, record);
  auditRoutes(app, deps);
  identityRoutes(app, deps);
  projectsRoutes(app, deps);
  catalogEntriesRoutes(app, deps);
  conversationsRoutes(app, deps);
  modelsRoutes(app, deps);
  reportsRoutes(app, deps);
  savedQueriesRoutes(app, deps);
  dashboardsRoutes(app, deps);
  sharesRoutes(app, deps);
  playbooksRoutes(app, deps);
  schedulesRoutes(app, deps);
  scheduleRunsRoutes(app, deps);
  workflowsRoutes(app, deps);
  workflowActivationRoutes(app, deps);
  workflowRunsRoutes(app, deps);
  workflowDeliveriesRoutes(app, deps);
  workflowTriggersRoutes(app, deps);
  hooksRoutes(app, deps, limit, record);
  filesRoutes(app, deps);
  previewsRoutes(app, deps);
  runsRoutes(app, deps);
  temporalUiRoute(app, deps);
  tableImportsRoutes(app, deps);
  tablesRoutes(app, deps);
  viewsRoutes(app, deps);
  testDefinitionsRoutes(app, deps);
  testOverlaysRoutes(app, deps);
  testPreviewsRoutes(app, deps);
  verificationRunsRoutes(app, deps);
  exportsRoutes(app, deps);
  tableGrantsRoutes(app, deps);
  profilesRoutes(app, deps);
  lineageRoutes(app, deps);
  gridTablesRoutes(app, deps);
  calculationRoutes(app, deps);
  rowsRoutes(app, deps);
  ingestionBatchesRoutes(app, deps);
  quarantineReplaysRoutes(app, deps);
  dataSyncsRoutes(app, deps);
  queryExecutionsRoutes(app, deps);
  dataConnectionsRoutes(app, deps);
  datasetsRoutes(app, deps);
  snapshotsRoutes(app, deps);
  appConnectionsRoutes(app, deps);
  icebergRoutes(app, deps);
  icebergWriteRoutes(app, deps);
  icebergUnsupportedRoutes(app);
  lakeCredentialsRoutes(app, deps);
  lakeMaintenanceRoutes(app, deps);
  appsRoutes(app, deps);
  mcpRoutes(app, deps);
  consoleRoutes(app, { storage: deps.objects.settings });
  return app;
}
