export { backend, type FieldDescription, type Report, type TransactionState } from './src/backend.ts';
export { ProtocolFault } from './src/fault.ts';
export {
  type BoundBytes,
  type FrontendMessage,
  formatOf,
  readFrontend,
  readPassword,
  type Target,
} from './src/frontend.ts';
export { arrayOid, oids, type TypeName } from './src/oids.ts';
export { type ParameterValue, readParameter } from './src/parameters.ts';
export { createMessageReader, type MessageReader, type RawMessage } from './src/reader.ts';
export { readStartup, type Startup } from './src/startup.ts';
