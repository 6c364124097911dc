import { z } from 'zod';
import { derivedId } from '../../../../../data/ids.ts';
import { urlFault } from '../../../../../data/outgoing/outgoing.ts';
import type { OrganizationTransaction } from '../../../../../data/postgres/client.ts';
import type { DeliveredContent, MailedContent } from '../../../../publishing/deliveries/content.ts';
import {
  type Delivery,
  deliveriesOfNode,
  deliveryStates,
  insertDeliveries,
  type NewDelivery,
} from '../../../../publishing/deliveries/deliveries.ts';
import { fileName, maxPathBytes, withoutAround } from '../../../../publishing/deliveries/file-name.ts';
import { findReport } from '../../../../publishing/reports/reports.ts';
import { inputsAt, type NodeCall, NodeFailed, type NodeStep, type NodeWork, within } from '../node-work.ts';
import type { NodeFailure, NodeOutputs, RunNode } from '../nodes.ts';
import { outputValue, textOf } from '../values.ts';

type Format = 'markdown' | 'pdf' | 'docx' | 'csv' | 'json';

/** A delivery before it is stored. */
interface Planned {
  kind: Delivery['kind'];
  target: string;
  content: object;
}

export const fileOutputWork: NodeWork = (call) =>
  delivered(call, async () => {
    const { path, format } = call.config as { path: string; format?: Format };
    const folder = withoutAround(call.version.output_folder, '/');
    const target = folder === '' ? path : `${folder}/${path}`;
    const [thing] = await thingsOf(call, format ?? formatOf(path));
    if (thing === undefined)
      throw new NodeFailed('invalid_request', 'The input has no content that can be delivered as a file.');
    return [{ kind: 'file', target, content: thing }];
  });

export const emailWork: NodeWork = (call) =>
  delivered(call, async () => {
    const { to, subject, text, format } = call.config as {
      to: string[];
      subject: string;
      text?: string;
      format?: Format;
    };
    const wrong = to.find((address) => !z.email().safeParse(address).success);
    if (wrong !== undefined)
      throw new NodeFailed('invalid_request', `${JSON.stringify(wrong)} isn't an email address.`);
    const own = await mailText(call, text);
    const shows = mailedBy(call);
    const content = {
      subject: subject.replace(/\s+/g, ' ').trim(),
      text: own,
      // Its text is the first report.
      shows: typeof own === 'string' ? shows : shows.slice(1),
      attachments: (await thingsOf(call, format)).filter((thing) => !isShown(thing, shows)),
    };
    return [...new Set(to)].map((target) => ({ kind: 'email', target, content }));
  });

export const slackWork: NodeWork = (call) =>
  delivered(call, async () => {
    const { webhook_url: url, text } = call.config as { webhook_url: string; text: string };
    const lines = [text, ...(await valueLines(call))];
    return [{ kind: 'slack', target: new URL(url).host, content: { text: lines.join('\n') } }];
  });

export const webhookWork: NodeWork = (call) =>
  delivered(call, async () => {
    const { url, payload } = call.config as { url: string; payload?: Record<string, unknown> };
    // What a placeholder became may be anything.
    const fault = urlFault(url);
    if (fault !== undefined) throw new NodeFailed('invalid_request', fault);
    const { origin, pathname } = new URL(url);
    const inputs = await inputValues(call);
    const content = { url, payload: { ...payload, ...(inputs === undefined ? {} : { inputs }) } };
    return [{ kind: 'webhook', target: `${origin}${pathname}`, content }];
  });

/** Plans deliveries once; when they have ended, their outcome determines the node's. */
async function delivered(call: NodeCall, plan: () => Promise<Planned[]>): Promise<NodeStep> {
  const { run, node } = call;
  const find = () => within(call, (db) => deliveriesOfNode(db, run.organization_id, run.id, node.id));
  let rows = await find();
  if (rows.length === 0) {
    const planned = (await plan()).map((delivery) => rowOf(call, delivery));
    await within(call, (db) => insertDeliveries(db, planned));
    rows = await find();
  }
  const pending = rows.filter(({ status }) => status === 'pending' || status === 'sending');
  if (pending.length > 0) return { kind: 'delivering', deliveryIds: pending.map(({ id }) => id) };
  const [open] = rows.filter(({ status }) => status !== 'delivered');
  if (open === undefined) return { kind: 'done', outputs: outputsOf(rows) };
  const { code, message } = (open.error ?? {}) as { code?: string; message?: string };
  throw new NodeFailed(
    code ?? 'delivery_failed',
    `${open.target}: ${message ?? 'It was not delivered.'} You can retry the delivery ${open.id}.`,
    { isFinal: true },
  );
}

/** Only a file is passed on; other deliveries leave the service. */
function outputsOf([delivery]: readonly Delivery[]): NodeOutputs {
  if (delivery?.kind !== 'file') return {};
  return { file: { type: 'file', fileId: delivery.receipt ?? '', path: delivery.target } };
}

/**
 * Ends the outstanding deliveries of an interrupted node, so that they are not attempted again. Returns the
 * node's outputs if all of its deliveries have arrived, otherwise undefined.
 */
export async function endDeliveries(
  db: OrganizationTransaction,
  { organization_id: organizationId, run_id: runId, node_id: nodeId }: RunNode,
  error: NodeFailure,
): Promise<NodeOutputs | undefined> {
  const rows = await deliveriesOfNode(db, organizationId, runId, nodeId, 'update');
  for (const row of rows) {
    if (deliveryStates.isEnd(row.status)) continue;
    // A delivery in progress may have arrived.
    const to = row.status === 'sending' ? 'uncertain' : 'failed';
    await deliveryStates.move(db, row, row.status, to, { error: JSON.stringify(error) });
  }
  const isDelivered = rows.length > 0 && rows.every(({ status }) => status === 'delivered');
  return isDelivered ? outputsOf(rows) : undefined;
}

function rowOf({ run, node }: NodeCall, { kind, target, content }: Planned): NewDelivery {
  return {
    organization_id: run.organization_id,
    id: derivedId('dlv', run.created_at.getTime(), `${run.id} ${node.id} ${kind} ${target}`),
    project_id: run.project_id,
    workflow_id: run.workflow_id,
    workflow_run_id: run.id,
    node_id: node.id,
    kind,
    target,
    content: JSON.stringify(content),
    status: 'pending',
  };
}

/** By the path's extension, if it is known. */
function formatOf(path: string): Format | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return ({ md: 'markdown', pdf: 'pdf', docx: 'docx', csv: 'csv', json: 'json' } as const)[ending];
}

const endings = { markdown: 'md', pdf: 'pdf', docx: 'docx' } as const;

/**
 * The input as files: a report in the requested format, by default Markdown; rows as JSON if requested,
 * otherwise CSV.
 */
async function thingsOf(call: NodeCall, format: Format | undefined): Promise<DeliveredContent[]> {
  const things: DeliveredContent[] = [];
  const nameOf = (stem: string, ending: string) => fileName(stem, `.${ending}`, maxPathBytes);
  for (const { from, output } of inputsAt(call, 'input')) {
    if (output.type === 'file') things.push(fileOf(output));
    else if (output.type === 'report') {
      const { reportId, revision } = output;
      const asked = format === 'pdf' || format === 'docx' ? format : 'markdown';
      const name = nameOf(await titleOf(call, reportId), endings[asked]);
      things.push({ type: 'report', reportId, revision, format: asked, name });
    } else if (output.type === 'rows') {
      const asked = format === 'json' ? 'json' : 'csv';
      things.push({ type: 'rows', rows: output.rows, format: asked, name: nameOf(from, asked) });
    }
  }
  return things;
}

const fileOf = ({ fileId, path }: { fileId: string; path: string }) => ({
  type: 'file' as const,
  fileId,
  name: path.slice(path.lastIndexOf('/') + 1),
});

const titleOf = (call: NodeCall, reportId: string): Promise<string> =>
  within(call, async (db) => {
    const report = await findReport(db, call.run.organization_id, reportId);
    if (report === undefined)
      throw new NodeFailed('not_found', 'The report was deleted before it could be sent.');
    return report.title;
  });

/** What a mail shows below its text: reports, then dashboards that are pages. */
function mailedBy(call: NodeCall): MailedContent[] {
  const inputs = inputsAt(call, 'input');
  return [
    ...inputs.flatMap(({ output }): MailedContent[] =>
      output.type === 'report'
        ? [{ type: 'report', reportId: output.reportId, revision: output.revision }]
        : [],
    ),
    ...inputs.flatMap(({ output }): MailedContent[] =>
      output.type === 'file' && output.mailKey !== undefined
        ? [{ type: 'dashboard', key: output.mailKey, page: fileOf(output) }]
        : [],
    ),
  ];
}

/** A page that the mail shows is attached only if the mail can't show all of it. */
const isShown = (thing: DeliveredContent, shows: readonly MailedContent[]): boolean =>
  thing.type === 'file' &&
  shows.some((shown) => shown.type === 'dashboard' && shown.page.fileId === thing.fileId);

/** The text of a mail: the configured one, otherwise the first report's, followed by the values. */
async function mailText(
  call: NodeCall,
  text: string | undefined,
): Promise<string | { reportId: string; revision: number }> {
  const lines = await valueLines(call);
  const [first] = mailedBy(call);
  if (text === undefined && lines.length === 0 && first !== undefined)
    return first.type === 'report' ? { reportId: first.reportId, revision: first.revision } : '';
  return `${[text ?? `${call.version.title}: ${call.node.name}`, ...lines].join('\n\n')}\n`;
}

/** Input values, one per line. */
async function valueLines(call: NodeCall): Promise<string[]> {
  return inputsAt(call, 'input').flatMap(({ from, output }) =>
    output.type === 'value' ? [`${from}: ${textOf(output.value)}`] : [],
  );
}

/** The input for a program: values and first rows inline, reports and files by id. */
async function inputValues(call: NodeCall): Promise<Record<string, unknown> | undefined> {
  const inputs = inputsAt(call, 'input');
  if (inputs.length === 0) return undefined;
  const values: Record<string, unknown> = {};
  for (const { from, output } of inputs) {
    if (output.type === 'report') values[from] = { reportId: output.reportId, revision: output.revision };
    else if (output.type === 'file') values[from] = { fileId: output.fileId, path: output.path };
    else values[from] = await outputValue(call.deps, call.run.organization_id, output);
  }
  return values;
}
