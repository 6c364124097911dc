import { z } from 'zod';
import type { ApiDeps, Routes } from '../../deps.ts';
import { route } from '../../route.ts';
import { envelope } from '../../schemas.ts';

const temporalUi = z
  .object({
    workflowsUrl: z
      .string()
      .nullable()
      .describe(
        'The address to which you add the `workflowId` of a run, percent-encoded. Null if no address is set.',
      ),
  })
  .meta({ id: 'TemporalUi' });

const example = { workflowsUrl: 'https://temporal.example.com/namespaces/default/workflows/' };

/** Where processes are watched, as the operator has set it. */
export function temporalUiRoute(app: Routes, { db, temporalUi: ui }: ApiDeps): void {
  route(
    app,
    { db, tag: 'Runs' },
    ['GET', '/v1/temporal-ui'],
    {
      summary: 'Show the address of the Temporal UI',
      description: "The address belongs to the operator's own network, so only administrators can see it.",
      admin: true,
    },
    { 200: envelope(temporalUi).meta({ examples: [{ data: example }] }) },
    async () => ({
      data: {
        workflowsUrl:
          ui === undefined ? null : `${ui.url}/namespaces/${encodeURIComponent(ui.namespace)}/workflows/`,
      },
    }),
  );
}
