import { parseExactJson } from '../../../data/exact-json.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { Params } from './kinds.ts';

/** Changes a definition where it applies. */
export type Overlay = RecordOf<'verification_overlays'>;

const overlays = records('verification_overlays', { prefix: 'vto', what: 'The overlay' });

export const {
  find: findOverlay,
  get: getOverlay,
  list: listOverlays,
  insert: insertOverlay,
  update: updateOverlay,
  remove: removeOverlay,
} = overlays;

export const changedParams = ({ params }: Pick<Overlay, 'params'>): Params | undefined =>
  params === null ? undefined : (parseExactJson(params) as Params);

export function allOverlays(db: OrganizationTransaction, organizationId: string): Promise<Overlay[]> {
  return db
    .selectFrom('verification_overlays')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();
}
