import type { ObjectStoreSettings } from '../../data/objects/settings.ts';

/** The run's stores, as the global setup put them into the environment. */
export function testStores(): {
  databaseUrl: string;
  extensionDir: string;
  objectStore: ObjectStoreSettings;
} {
  const required = (name: string): string => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`${name} is not set: run tests with npm test.`);
    return value;
  };
  return {
    databaseUrl: required('DATABASE_URL'),
    extensionDir: required('DUCKDB_EXTENSION_DIR'),
    objectStore: {
      endpoint: required('S3_ENDPOINT'),
      region: required('S3_REGION'),
      bucket: required('S3_BUCKET'),
      accessKeyId: required('S3_ACCESS_KEY_ID'),
      secretAccessKey: required('S3_SECRET_ACCESS_KEY'),
    },
  };
}
