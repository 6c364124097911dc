/**
 * Where objects live in the bucket: one folder an organization, so that a prefix can be handed out or removed
 * whole.
 */
export function fileKey(organizationId: string, objectId: string): string {
  return `files/${organizationId}/${objectId}`;
}

export function uploadKey(organizationId: string, uploadId: string): string {
  return `uploads/${organizationId}/${uploadId}`;
}

/** The pages of one ingestion batch, gone when it has ended. */
export function batchPrefix(organizationId: string, batchId: string): string {
  return `batches/${organizationId}/${batchId}/`;
}

/** What the tools of one conversation made, gone with it. */
export function conversationPrefix(organizationId: string, conversationId: string): string {
  return `conversations/${organizationId}/${conversationId}/`;
}

/** What one report refers to, in all of its revisions, gone with it. */
export function reportPrefix(organizationId: string, reportId: string): string {
  return `reports/${organizationId}/${reportId}/`;
}
