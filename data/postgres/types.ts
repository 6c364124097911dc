import pg from 'pg';
import { parseExactJson } from '../exact-json.ts';

const int8Oid = 20;
/** Every bigint this service stores in Postgres is a count, a size or a snapshot number, far below 2^53. */
pg.types.setTypeParser(int8Oid, Number);
/** JSON columns, such as semantics, keep the exact numbers that were stored. */
for (const jsonOid of [114, 3802]) pg.types.setTypeParser(jsonOid, parseExactJson);
