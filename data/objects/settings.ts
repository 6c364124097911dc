/** The bucket for all objects. `endpoint` undefined means Amazon's own addresses. */
export interface ObjectStoreSettings {
  endpoint: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}
