import type { ConnectionTypeTable } from './field.ts';
import { databasePassword, serverFields } from './postgres.ts';

export const mysql: ConnectionTypeTable = {
  type: 'mysql',
  label: 'MySQL or MariaDB',
  config: serverFields(3_306),
  secrets: [databasePassword],
};
