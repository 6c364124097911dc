export {
  type ColumnStatistics,
  type DataFile,
  type DeleteFile,
  dataManifest,
  deleteManifest,
  type Manifest,
  manifestList,
} from './src/manifests.ts';
export { type IcebergSnapshot, type TableDescription, tableMetadata } from './src/metadata.ts';
export { type MappedName, nameMapping } from './src/name-mapping.ts';
export { engineTypeOf, numbered } from './src/new-table.ts';
export { IcebergFault } from './src/read-avro.ts';
export { type FileChange, type ListedManifest, readManifest, readManifestList } from './src/read-commit.ts';
export {
  type IcebergField,
  type IcebergSchema,
  type IcebergType,
  icebergFields,
  type LakeColumn,
  lastFieldId,
} from './src/schema.ts';
