/**
 * Writes `workflows/index.ts`, which exports every workflow to the worker's bundler: the functions that the files
 * `<wing>/<process>/workflow.ts` export. With `--check`, it says only whether the file is up to date.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';

const index = 'workflows/index.ts';
const workflow = /^export (?:async )?function (\w+)/gm;

const lines = globSync('workflows/*/*/')
  .sort()
  .map((folder) => `${folder}/workflow.ts`)
  .filter((file) => existsSync(file))
  .map((file) => {
    const names = [...readFileSync(file, 'utf8').matchAll(workflow)].map(([, name]) => name);
    return `export { ${names.join(', ')} } from '${file.replace('workflows/', './')}';`;
  });
const text = `// Written by \`npm run workflow-index\`.\n${lines.join('\n')}\n`;
if (!process.argv.includes('--check')) writeFileSync(index, text);
else if (readFileSync(index, 'utf8') !== text) {
  console.error(`${index} doesn't list every workflow. Run npm run workflow-index.`);
  process.exitCode = 1;
}
