import type { components } from '../../../clients/typescript/src/index.ts';
import { workspace } from '../session/login.ts';
import type { ConnectionField } from './fields.ts';

export interface ConnectionType {
  type: components['schemas']['DataConnection']['type'];
  label: string;
  config: ConnectionField[];
  secrets: ConnectionField[];
}

/** What the service says that a connection of each type needs. */
export const typesQuery = {
  queryKey: ['connection-types'],
  queryFn: () => workspace.get('/v1/connections/data/types'),
  staleTime: Number.POSITIVE_INFINITY,
};
