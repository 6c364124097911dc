import { getOverlay, listOverlays, removeOverlay } from '../../../domain/tables/verification/overlays.ts';
import { changeOverlay, createOverlay } from '../../../domain/tables/verification/write.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { clientGone } from '../../reply.ts';
import { resource } from '../../resource.ts';
import {
  changeOverlayBody,
  createOverlayBody,
  overlayExample,
  overlaySchema,
  overlayView,
} from './overlay-schemas.ts';

/** What changes test definitions for a table, a project, or everywhere. */
export function testOverlaysRoutes(app: Routes, deps: ApiDeps): void {
  const overlays = resource(app, deps, {
    tag: 'Verification Tests',
    path: '/v1/verification-tests/overlays/:overlay_id',
    schema: overlaySchema,
    example: overlayExample,
    load: (db, organizationId, { overlay_id: id }) => getOverlay(db, organizationId, id),
    view: overlayView,
  });

  overlays.list({
    summary: 'List overlays, newest first',
    operationId: 'listTestOverlays',
    admin: true,
    rows: (db, { organizationId }, slice) => listOverlays(db, organizationId, slice),
  });
  overlays.create({
    summary: 'Create an overlay',
    operationId: 'createTestOverlay',
    audit: 'test_overlay.created',
    description:
      'An overlay changes a test definition for one table, for a project, or for the organization (if it names neither). An overlay of the table overrides one of its project, which overrides one of the organization. Among equals, the higher `priority` wins, then the newer one. Each field and each parameter comes from the first overlay that sets it.',
    admin: true,
    body: createOverlayBody,
    errors: ['not_found', 'conflict', 'limit_reached', 'queries_saturated'],
    run: ({ organizationId, caller, body, newId, reply }) =>
      createOverlay(
        deps,
        { organizationId, id: newId('vto'), callerId: caller.id, signal: clientGone(reply) },
        {
          definitionId: body.definition_id,
          projectId: body.project_id ?? null,
          tableId: body.table_id ?? null,
        },
        {
          ...{ enabled: body.enabled ?? null, severity: body.severity ?? null },
          ...{ blocking: body.blocking ?? null, params: body.params ?? null },
          ...{ priority: body.priority ?? 0, reason: body.reason ?? '' },
        },
      ),
  });
  overlays.show({ summary: 'Show an overlay', operationId: 'getTestOverlay', admin: true });
  overlays.change({
    summary: 'Change an overlay',
    operationId: 'updateTestOverlay',
    audit: 'test_overlay.updated',
    description:
      'Fields that you omit keep their values. Null means that the field of the definition applies.',
    admin: true,
    body: changeOverlayBody,
    errors: ['revision_conflict', 'queries_saturated'],
    run: ({ organizationId, caller, params, body, reply }) => {
      const { expected_revision: expectedRevision, ...sent } = body;
      const change = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
      return changeOverlay(
        deps,
        { organizationId, id: params.overlay_id, callerId: caller.id, signal: clientGone(reply) },
        change,
        expectedRevision,
      );
    },
  });
  overlays.remove({
    summary: 'Delete an overlay',
    operationId: 'deleteTestOverlay',
    audit: 'test_overlay.deleted',
    admin: true,
    run: ({ organizationId, params, transaction }) =>
      transaction(async (db) => {
        const row = await getOverlay(db, organizationId, params.overlay_id, 'update');
        await removeOverlay(db, organizationId, row.id);
        return row;
      }),
  });
}
