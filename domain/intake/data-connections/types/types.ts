import { ducklake } from './ducklake.ts';
import type { ConnectionType, ConnectionTypeTable } from './field.ts';
import { http } from './http.ts';
import { mysql } from './mysql.ts';
import { postgres } from './postgres.ts';
import { s3 } from './s3.ts';

/** All types of connections. */
export const typeTables: Readonly<Record<ConnectionType, ConnectionTypeTable>> = {
  postgres,
  mysql,
  http,
  s3,
  ducklake,
};
