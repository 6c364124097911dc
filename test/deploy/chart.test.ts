import { beforeAll, expect, test } from 'vitest';
import { chart } from '../support/deployment-files.ts';
import { findHelm, runHelm } from '../support/helm.ts';
import { readYamlDocuments } from '../support/yaml.ts';

interface Container {
  securityContext: unknown;
  env: { name: string; value?: string }[];
  volumeMounts: { mountPath: string }[];
}

interface Resource {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: {
    replicas?: number;
    template: { spec: { securityContext: unknown; containers: [Container] } };
    triggers?: { metadata: Record<string, string> }[];
  };
}

let helm = '';
let missing = '';
beforeAll(async () => {
  const found = await findHelm();
  if ('helm' in found) helm = found.helm;
  else {
    missing = found.missing;
    console.warn(`The tests of the chart are skipped: ${missing}.`);
  }
});

const everything = ['--values', `${chart}/ci/all-values.yaml`];
const variants = [
  { name: 'the default values', args: [] },
  { name: 'every option', args: everything },
  {
    name: 'every option, workers by processor time',
    args: [...everything, '--set=worker.autoscaling.by=cpu'],
  },
];

async function render(args: readonly string[]): Promise<Resource[]> {
  return readYamlDocuments<Resource>(await runHelm(helm, ['template', 'ours', chart, ...args]));
}

const kinds = (resources: readonly Resource[]) => new Set(resources.map(({ kind }) => kind));

for (const { name, args } of variants) {
  test(`the chart is accepted, and its pods have no rights, with ${name}`, async (context) => {
    if (missing !== '') context.skip(missing);
    await runHelm(helm, ['lint', '--strict', chart, ...args]);
    const resources = await render(args);
    const pods = resources.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
    expect(pods.map(({ metadata }) => metadata.name).sort()).toEqual(
      ['api', 'migration', 'worker'].map((part) => `ours-analytics-workspace-${part}`),
    );
    for (const { spec } of pods) {
      const { securityContext, containers } = spec.template.spec;
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(containers[0].volumeMounts.map(({ mountPath }) => mountPath)).toContain('/tmp');
      const names = containers[0].env.map((variable) => variable.name);
      expect(new Set(names).size).toBe(names.length);
    }
  });
}

test('the migration is a hook, and options add what they say', async (context) => {
  if (missing !== '') context.skip(missing);
  const [plain, full, byProcessor] = await Promise.all(variants.map(({ args }) => render(args)));
  const job = plain!.find(({ kind }) => kind === 'Job')!;
  expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
  const always = ['Deployment', 'Job', 'Service', 'ServiceAccount', 'PodDisruptionBudget', 'NetworkPolicy'];
  expect(kinds(plain!)).toEqual(new Set(always));
  const optional = ['Ingress', 'HorizontalPodAutoscaler', 'PodMonitor'];
  expect(kinds(byProcessor!)).toEqual(new Set([...always, ...optional]));
  expect(kinds(full!)).toEqual(new Set([...always, ...optional, 'ScaledObject', 'TriggerAuthentication']));
  const queues = full!.find(({ kind }) => kind === 'ScaledObject')!.spec.triggers;
  expect(queues!.map(({ metadata }) => metadata['taskQueue'])).toEqual(['control', 'lake', 'agent']);
  // A fixed number would undo what an autoscaler decided.
  for (const { kind, spec } of full!) if (kind === 'Deployment') expect(spec.replicas).toBeUndefined();
});
