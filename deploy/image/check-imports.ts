/**
 * Imports every module of the service, and by that every package that one of its processes may load. The build
 * of the image runs this last: it ends here if something was removed that a process needs.
 */
import { accessSync, globSync } from 'node:fs';
import { resolve } from 'node:path';
import { fontPaths } from '../../packages/documents/index.ts';

/** Programs would start; what they import is imported all the same. Workflows are in their bundle. */
const programs = /(^|\/)main\.ts$|^worker\/bundle\.ts$|^data\/zone-rules\/(use|compile)\.ts$/;
const files = globSync('{api,worker,activities,service,domain,data,packages/*/src}/**/*.ts').filter(
  (file) => !programs.test(file) && !file.endsWith('.d.ts'),
);
// Fonts are read when a report needs them.
for (const file of await fontPaths()) accessSync(file);
await Promise.all(files.map((file) => import(resolve(file))));
process.stdout.write(`${files.length} modules were imported.\n`);
// Some of them keep a process running.
process.exit();
