import type { z } from 'zod';
import type { OverlaySource, TestSource } from '../../../domain/tables/verification/effective-set.ts';
import { readTest } from '../../../domain/tables/verification/kinds.ts';
import { requestedSet } from '../../../domain/tables/verification/preview.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { route } from '../../route.ts';
import { writtenOf } from './definition-schemas.ts';
import { mostShown, onePreview, previewBody } from './preview-schemas.ts';

type Sent = z.output<typeof previewBody>;

/** What tests tables have, before anything runs. */
export function testPreviewsRoutes(app: Routes, deps: ApiDeps): void {
  route(
    app,
    { db: deps.db, tag: 'Verification Tests' },
    ['POST', '/v1/verification-tests/effective-set/previews'],
    {
      summary: 'Preview tests',
      operationId: 'previewTests',
      audit: { none: 'It only reads.' },
      description:
        'Returns the tests that a run of the same tables would do, and the source of each field. Nothing is changed. You can preview unsaved definitions and overlays, and other modeling tiers; they replace the stored ones.',
      admin: true,
      idempotent: false,
      body: previewBody,
      errors: ['not_found'],
    },
    { 200: onePreview },
    async ({ organizationId, caller, body, transaction }) => {
      const request = {
        tableIds: body.table_ids,
        projectId: body.project_id,
        definitions: body.definitions.map((sent, at) => definitionSource(sent, at, caller.id)),
        overlays: body.overlays.map(overlaySource),
        tiers: new Map(body.as_if.map((one) => [one.table_id, one.modeling_tier])),
      };
      const { tests, unmatched } = await transaction((db) => requestedSet(db, organizationId, request));
      const shown = tests
        .slice(0, mostShown)
        .map(({ keepRows: _keepRows, definedBy: _definedBy, ...test }) => test);
      return { data: { tests: shown, total: tests.length, unmatched } };
    },
  );
}

function definitionSource(sent: Sent['definitions'][number], at: number, callerId: string): TestSource {
  const { id, ...body } = sent;
  readTest(body.kind, body.params, ['body', 'definitions', at, 'params']);
  const { description: _description, ...written } = writtenOf(body);
  return { ...written, id: id ?? null, definedBy: callerId };
}

/** One that is not saved counts as the newest. */
function overlaySource(sent: Sent['overlays'][number]): OverlaySource {
  return {
    id: sent.id ?? null,
    definitionId: sent.definition_id,
    projectId: sent.project_id ?? null,
    tableId: sent.table_id ?? null,
    enabled: sent.enabled ?? null,
    severity: sent.severity ?? null,
    blocking: sent.blocking ?? null,
    params: sent.params ?? undefined,
    priority: sent.priority ?? 0,
    createdAtMs: Number.MAX_SAFE_INTEGER,
  };
}
