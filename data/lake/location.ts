import type { CatalogAddress } from './catalog-address.ts';

/** Location of one organization's DuckLake, and the role for its catalog. A decrypted row of `lakes`. */
export interface LakeLocation {
  organizationId: string;
  catalog: CatalogAddress;
  /** Ends in a slash: `s3://bucket/lakes/<id>/`. */
  dataPath: string;
}
