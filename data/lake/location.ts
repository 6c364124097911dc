import type { CatalogAddress } from './catalog-address.ts';

/** Where one organization's DuckLake lives, and as whom to reach its catalog. A row of `lakes`, decrypted. */
export interface LakeLocation {
  organizationId: string;
  catalog: CatalogAddress;
  /** Ends in a slash: `s3://bucket/lakes/<id>/`. */
  dataPath: string;
}
