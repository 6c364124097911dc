import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { getTrigger, type Trigger } from '../../../domain/automation/workflows/definitions/triggers.ts';
import { getWorkflow } from '../../../domain/automation/workflows/definitions/workflows.ts';
import { rotateSecret } from '../../../domain/automation/workflows/triggers/hooks.ts';
import type { Caller } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { route } from '../../route.ts';
import { envelope } from '../../schemas.ts';
import { serviceUrl } from '../../service-url.ts';
import { hookTriggerExample, triggerSchema, triggerView } from './schemas.ts';
import { shownTriggers, showSecrets } from './shown-triggers.ts';

async function load(
  db: OrganizationTransaction,
  organizationId: string,
  { workflow_id: id, trigger_id: triggerId }: Record<'workflow_id' | 'trigger_id', string>,
  { id: ownerId }: Caller,
): Promise<Trigger> {
  return getTrigger(db, await getWorkflow(db, organizationId, { id, ownerId }), triggerId);
}

/** Actions of a single trigger. */
export function workflowTriggersRoutes(app: Routes, deps: ApiDeps): void {
  route(
    app,
    { db: deps.db, tag: 'Workflows' },
    ['POST', '/v1/workflows/:workflow_id/triggers/:trigger_id/secret'],
    {
      summary: 'Rotate the secret of a webhook trigger',
      operationId: 'rotateTriggerSecret',
      audit: 'trigger.secret_replaced',
      description:
        'Only this response shows the new secret. The service accepts signatures with the old secret for one more hour.',
      exists: load,
      errors: ['conflict'],
      idempotent: false,
    },
    { 200: envelope(triggerSchema).meta({ examples: [{ data: hookTriggerExample }] }) },
    async ({ organizationId, params, caller, request, reply, transaction }) => {
      const trigger = await transaction(async (db) => {
        const row = await load(db, organizationId, params, caller);
        if (row.type !== 'webhook')
          throw new AppError(
            'conflict',
            `The trigger has the type ${row.type}; only a webhook has a secret.`,
          );
        const { id: triggerId, workflow_id: workflowId } = row;
        await rotateSecret(db, deps.cipher, { organizationId, workflowId, triggerId });
        const [shown] = await showSecrets(db, deps.cipher, await shownTriggers(db, [row]));
        return shown!;
      });
      reply.header('Cache-Control', 'no-store');
      return { data: triggerView(trigger, serviceUrl(deps, request)) };
    },
  );
}
