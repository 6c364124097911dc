/** Where one organization's DuckLake lives, and as whom to reach its catalog. A row of `lakes`, decrypted. */
export interface LakeLocation {
  organizationId: string;
  catalog: {
    host: string;
    port: number;
    database: string;
    user: string;
    password: string;
    schema: string;
    ssl: boolean;
    /** How long a statement waits for another's lock in the catalog; undefined waits for as long as it takes. */
    lockTimeoutMs?: number;
  };
  /** Ends in a slash: `s3://bucket/lakes/<id>/`. */
  dataPath: string;
}
