import type { NodeType } from './node-type.ts';
import { approval } from './node-types/approval.ts';
import { condition } from './node-types/condition.ts';
import { dashboard } from './node-types/dashboard.ts';
import { emailDelivery, slackDelivery, webhookDelivery } from './node-types/deliveries.ts';
import { fileOutput } from './node-types/file-output.ts';
import { materialize } from './node-types/materialize.ts';
import { playbook } from './node-types/playbook.ts';
import { query } from './node-types/query.ts';
import { report } from './node-types/report.ts';
import { snapshot } from './node-types/snapshot.ts';
import { verification } from './node-types/verification.ts';
import { wait } from './node-types/wait.ts';

/** Every type of node, in the order in which they are listed. */
export const nodeTypes: readonly NodeType[] = [
  query,
  playbook,
  report,
  condition,
  wait,
  approval,
  fileOutput,
  emailDelivery,
  slackDelivery,
  webhookDelivery,
  snapshot,
  materialize,
  verification,
  dashboard,
];

const byName = new Map(nodeTypes.map((nodeType) => [nodeType.type, nodeType]));

export const findNodeType = (type: unknown): NodeType | undefined =>
  typeof type === 'string' ? byName.get(type) : undefined;
