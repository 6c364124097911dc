import { globSync, readFileSync } from 'node:fs';
import { readYaml } from './yaml.ts';

export const chart = 'deploy/helm/analytics-workspace';
export const composeFile = 'deploy/compose/compose.yaml';

export interface ComposeService {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  networks?: string[] | Record<string, unknown>;
  depends_on?: Record<string, { condition: string }>;
  mem_limit?: string;
  read_only?: boolean;
}

export interface Compose {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
  networks: Record<string, unknown>;
}

type Variables = Record<string, unknown>;

export interface ChartValues {
  config: Variables;
  api: { env: Variables };
  worker: { env: Variables };
}

const text = (file: string): string => readFileSync(file, 'utf8');

export const readCompose = (): Compose => readYaml<Compose>(text(composeFile));

/** The names in lines `NAME=value`, commented out or not. */
export const namesOf = (file: string): string[] =>
  [...text(file).matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!);

/** The variables that these files give to API and worker, by file. */
export function variablesOfFiles(): Map<string, string[]> {
  const set = new Map<string, string[]>([
    ['deploy/service.env.example', namesOf('deploy/service.env.example')],
    ['Dockerfile', imageVariables()],
    [composeFile, composeVariables()],
  ]);
  for (const unit of globSync('deploy/systemd/*.service')) set.set(unit, unitVariables(unit));
  for (const values of [`${chart}/values.yaml`, `${chart}/ci/all-values.yaml`])
    set.set(values, chartVariables(values));
  for (const template of globSync(`${chart}/templates/*.yaml`))
    set.set(template, templateVariables(template));
  return set;
}

const unitVariables = (unit: string): string[] =>
  [...text(unit).matchAll(/^Environment=(.*)$/gm)]
    .flatMap(([, pairs]) => pairs!.split(' '))
    .map((pair) => pair.slice(0, pair.indexOf('=')));

/** Of one instruction ENV, whose lines end with a backslash. */
function imageVariables(): string[] {
  const [instruction = ''] = /^ENV (?:.*\\\n)*.*/m.exec(text('Dockerfile')) ?? [];
  return [...instruction.matchAll(/([A-Z][A-Z0-9_]+)=/g)].map(([, name]) => name!);
}

function composeVariables(): string[] {
  const ours = Object.values(readCompose().services).filter(({ build }) => build !== undefined);
  return ours.flatMap(({ environment = {} }) => Object.keys(environment));
}

function chartVariables(file: string): string[] {
  const { config, api, worker } = readYaml<Partial<ChartValues>>(text(file));
  return [config, api?.env, worker?.env].flatMap((variables) => Object.keys(variables ?? {}));
}

/** Those that a template itself names, and the keys of the Secret. */
const templateVariables = (file: string): string[] =>
  [...text(file).matchAll(/(?:name: |key: |ternary )"?([A-Z][A-Z0-9_]{2,})\b(?:" "([A-Z_]+)")?/g)].flatMap(
    ([, name, other]) => (other === undefined ? [name!] : [name!, other]),
  );
