import type { storesConfig } from '../../data/stores-config.ts';
import { strayLakes } from '../backup/relocate.ts';
import { checked, Failed, type Finding } from './finding.ts';

/**
 * Whether all lakes have their files in the configured bucket: the copy of a database must neither read nor
 * write those of its original. Undefined where that cannot be asked, which other checks report.
 */
export async function examineLakes({
  databaseUrl,
  objectStore: { bucket },
}: ReturnType<typeof storesConfig>): Promise<Finding | undefined> {
  let stray: Awaited<ReturnType<typeof strayLakes>>;
  try {
    stray = await strayLakes(databaseUrl, bucket);
  } catch {
    return undefined;
  }
  return checked(
    'Lakes',
    () => {
      const [first] = stray;
      if (first === undefined) return `all files are in the bucket ${bucket}`;
      throw new Failed(
        `${stray.length} ${stray.length === 1 ? 'lake has its' : 'lakes have their'} files in another bucket, such as ${first.bucket}. S3_BUCKET is ${bucket}.`,
        'Correct S3_BUCKET, or copy the objects to it under the same keys and run `npm run relocate`.',
        { isFatal: true },
      );
    },
    () => ({ todo: 'Check S3_BUCKET.' }),
  );
}
