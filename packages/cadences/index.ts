export {
  type Cadence,
  type CadenceView,
  cadenceFields,
  cadenceView,
  type DatasetCadence,
  legacyTypes,
  type WritableCadence,
  weekdays,
  writableTypes,
} from './src/cadence.ts';
export type { CadenceFault } from './src/fields.ts';
export { nextOccurrence, type Occurrence } from './src/next.ts';
export { occurrences } from './src/occurrences.ts';
export { UnreadableCadence } from './src/unreadable.ts';
export {
  type CadenceCheck,
  type CadenceFields,
  checkDatasetCadence,
  checkStoredCadence,
  checkWrittenCadence,
  datasetMinutes,
} from './src/validate.ts';
export { clockAt } from './src/zones.ts';
