import { readFileSync } from 'node:fs';
import { z } from 'zod';

const packageFile = new URL('../package.json', import.meta.url);

/** The version of this release, as in package.json: of the image, of /healthz and of the API document. */
export const release: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version;
