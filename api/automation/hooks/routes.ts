import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError, ValidationError } from '../../../data/errors.ts';
import type { Params } from '../../../domain/analyst/playbooks/parameters.ts';
import { checkCall, type SignedCall, takeCall } from '../../../domain/automation/workflows/starts/call.ts';
import type { BodyReader } from '../../../domain/tables/row-input/reading/reader.ts';
import { recordedWork } from '../../../domain/workspace/audit/recorded-work.ts';
import type { Recorder } from '../../../domain/workspace/audit/recorder.ts';
import { isAutomationPaused } from '../../../domain/workspace/pause/pause.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { isMap, mapSchema } from '../../free-form.ts';
import { ownerOf } from '../../plugins/body-bytes.ts';
import { bodyBounds } from '../../plugins/json-body.ts';
import type { RateLimit } from '../../plugins/rate-limit.ts';
import { envelope } from '../../schemas.ts';

const maxCallBytes = 262_144;

const callHeaders = z.looseObject({
  'x-webhook-timestamp': z
    .string()
    .optional()
    .describe('The time in Unix seconds. It must be within five minutes of now.'),
  'x-webhook-signature': z
    .string()
    .optional()
    .describe(
      '`v1=` and the hex HMAC-SHA256 of `timestamp.body`, with the UTF-8 bytes of the secret as the key.',
    ),
});

const taken = envelope(z.object({ runId: z.string() })).meta({
  examples: [{ data: { runId: 'wfr_01kahz3v6dfyvb1s8m3h9q2w4x' } }],
});

/** The addresses of webhook triggers; a call is authorized by its signature. */
export function hooksRoutes(app: Routes, deps: ApiDeps, limit: RateLimit, record: Recorder): void {
  app.post(
    '/v1/hooks/:token',
    {
      bodyLimit: maxCallBytes,
      schema: {
        tags: ['Workflows'],
        summary: 'Trigger a workflow with a webhook',
        operationId: 'callHook',
        description:
          "The body becomes the params of the run and overrides those of the trigger. Repeating the same signed call returns the same `runId` and doesn't start a second run.",
        params: z.object({ token: z.string() }),
        headers: callHeaders,
        body: z.unknown().meta({
          ...mapSchema,
          description: 'The params of the run, up to 256 KiB.',
          example: { since: '2026-11-01' },
        }),
        response: { 202: taken },
      },
      config: {
        scope: 'public',
        rawBody: true,
        errors: ['invalid_token', 'conflict', 'body_too_large', 'workflows_unavailable'],
      },
    },
    async (request, reply) => {
      const { headers } = request;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const call = await checkCall(deps, request.params.token, {
        timestamp: headers['x-webhook-timestamp'] ?? '',
        signature: headers['x-webhook-signature'] ?? '',
        body,
        nowMs: Date.now(),
      });
      // A correctly signed call counts towards the hook's limit instead of the address's, so that other
      // requests to the hook or from the same address do not affect it.
      limit.forgiveAddress(request);
      limit.byHook(call.triggerId, reply);
      const { organizationId, workflowId } = call;
      if (await isAutomationPaused(deps.db))
        throw new AppError(
          'workflows_unavailable',
          'The operator has paused all automation. Call again later.',
          {
            retryAfterSeconds: 60,
          },
        );
      const readParams = () => paramsOf(deps.reader, request, body);
      const take = () => takeCall(deps, call, { readParams, memo: memoOf(request, call.triggerId) });
      // A repeated call starts nothing more.
      await (call.earlier === undefined
        ? recordedWork(record, async () => startedBy(request, call), take)
        : take());
      request.log.info({ organizationId, workflowId, runId: call.runId }, 'accepted a call of a hook');
      reply.code(202);
      return { data: { runId: call.runId } };
    },
  );
}

const startedBy = ({ ip, id }: FastifyRequest, { organizationId, triggerId, runId }: SignedCall) => ({
  organizationId,
  actor: { type: 'system' as const, id: null },
  action: 'workflow.run',
  resource: { id: runId, name: null },
  address: ip,
  requestId: id,
  detail: { trigger: triggerId },
});

async function paramsOf(reader: BodyReader, request: FastifyRequest, bytes: Buffer): Promise<Params> {
  const input = { body: { bytes }, bounds: bodyBounds };
  const params = bytes.length === 0 ? undefined : await reader.read(ownerOf(request), 'json', input);
  if (isMap(params)) return params as Params;
  const [type, msg] =
    params === undefined
      ? ['missing', 'Field required']
      : ['dict_type', 'Input should be a valid dictionary'];
  throw new ValidationError([{ loc: ['body'], type: type!, msg: msg! }]);
}
