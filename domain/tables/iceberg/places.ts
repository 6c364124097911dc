import { createHash } from 'node:crypto';
import { icebergPrefix } from '../../../data/objects/keys.ts';

/** Where a table's Iceberg files are. */
export interface Places {
  /** Key of the folder of metadata, which the service alone writes; ends with a slash. */
  metadataKey: string;
  /** The same as an address. */
  metadataUrl: string;
  /** Where engines write data files of the table; without a slash at its end. */
  location: string;
}

export function placesOf(
  { organizationId, tableId }: { organizationId: string; tableId: string },
  { dataPath, bucket }: { dataPath: string; bucket: string },
): Places {
  const metadataKey = `${icebergPrefix(organizationId)}${tableId}/`;
  return {
    metadataKey,
    metadataUrl: `s3://${bucket}/${metadataKey}`,
    location: `${dataPath}iceberg/${tableId}`,
  };
}

/** The UUID by which engines recognise a table: the same for ever. */
export function tableUuid(tableId: string): string {
  const bytes = createHash('sha256').update(`iceberg table ${tableId}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
