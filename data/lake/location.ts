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
  };
  /** Ends in a slash: `s3://bucket/lakes/<id>/`. */
  dataPath: string;
}
