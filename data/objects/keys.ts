/**
 * Keys of objects in the bucket: one folder per organization, so that a whole prefix can be handed out or
 * removed.
 */
export function fileKey(organizationId: string, objectId: string): string {
  return `files/${organizationId}/${objectId}`;
}

export function uploadKey(organizationId: string, uploadId: string): string {
  return `uploads/${organizationId}/${uploadId}`;
}

/** The pages of one ingestion batch, removed when it has ended. */
export function batchPrefix(organizationId: string, batchId: string): string {
  return `batches/${organizationId}/${batchId}/`;
}

/** Files created by the tools of one conversation, removed with it. */
export function conversationPrefix(organizationId: string, conversationId: string): string {
  return `conversations/${organizationId}/${conversationId}/`;
}

/** Files that any revision of one report refers to, removed with the report. */
export function reportPrefix(organizationId: string, reportId: string): string {
  return `reports/${organizationId}/${reportId}/`;
}

/** Metadata of an organization's tables for Iceberg engines. It can always be written again. */
export function icebergPrefix(organizationId: string): string {
  return `iceberg/${organizationId}/`;
}
