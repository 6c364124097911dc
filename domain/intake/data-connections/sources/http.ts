import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { StageOf } from '../failure.ts';
import { type ReplicatedResource, tieBreakerColumn } from '../replication-policy.ts';
import { look, NoPermit } from './http-look.ts';
import { firstPosition, pageUrl } from './http-pages.ts';
import { columnsOf, type JsonRecord, mappedRecord, parseAnswer, recordsOf } from './http-records.ts';
import { type HttpAnswer, refuseStatus, urlBelow } from './http-request.ts';
import type { SourceColumn, SourceKind, SourceResource, SourceTarget } from './source.ts';

const maxProbeBytes = 4_194_304;
const maxSampledRecords = 100;
/**
 * Resources sampled per listing. The columns of further resources are left empty, so that listing stays fast
 * and does not send hundreds of requests.
 */
const maxSampledResources = 10;
const sampleMs = 4_000;

export const httpStage: StageOf = () => undefined;

/**
 * Without a resource to request, this can only check that the server answers and does not reject the
 * credentials.
 */
async function probe(target: SourceTarget, signal: AbortSignal): Promise<void> {
  const answer = await look(target, urlBelow(target, '', {}), { maxBytes: maxProbeBytes, signal });
  if (answer.status === 401 || answer.status === 403 || answer.status >= 500) refuseStatus(answer);
}

function firstAnswer(
  target: SourceTarget,
  resource: ReplicatedResource,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const url = pageUrl(target, resource, null, firstPosition(resource));
  const maxBytes = target.policy?.limits?.max_response_bytes_per_request ?? maxProbeBytes;
  return look(target, url, { maxBytes: Math.min(maxBytes, maxProbeBytes), signal });
}

function recordsIn(answer: HttpAnswer, resource: ReplicatedResource): JsonRecord[] {
  refuseStatus(answer);
  return recordsOf(parseAnswer(answer.bytes), resource);
}

/**
 * The columns of a resource's first records, or why they cannot be read; undefined if the limits allow no
 * more requests.
 *
 * @throws RemoteFailure that does not concern this resource alone
 */
async function sample(
  target: SourceTarget,
  resource: ReplicatedResource,
  signal: AbortSignal,
): Promise<SourceColumn[] | RemoteFailure | undefined> {
  let answer: HttpAnswer | undefined;
  try {
    answer = await firstAnswer(target, resource, signal);
    const records = recordsIn(answer, resource);
    return columnsOf(records.slice(0, maxSampledRecords).map((record) => mappedRecord(record, resource)));
  } catch (error) {
    if (error instanceof NoPermit) return undefined;
    // An API may refuse a login for one resource alone; without an answer, there was no login for any.
    const isOfResource =
      error instanceof RemoteFailure && (answer !== undefined || error.stage === 'request');
    if (!isOfResource) throw error;
    return new RemoteFailure(error.stage, `${resource.request_path}: ${error.message}`);
  }
}

export const httpSource: SourceKind = {
  async test(target, signal) {
    const [first] = target.policy?.resources ?? [];
    if (first === undefined) await probe(target, signal);
    else recordsIn(await firstAnswer(target, first, signal), first);
  },
  async resources(target, { prefix, after, limit }, signal) {
    const all = [...(target.policy?.resources ?? [])]
      .filter(({ request_path: path }) => path.startsWith(prefix) && (after === undefined || path > after))
      .sort((a, b) => (a.request_path < b.request_path ? -1 : 1));
    if (all.length === 0 && after === undefined) await probe(target, signal);
    const listed: SourceResource[] = [];
    const failures: RemoteFailure[] = [];
    let isAnswered = false;
    let sampleUntil = Date.now() + sampleMs;
    // Sequential, so as not to put load on the source.
    for (const resource of all.slice(0, limit + 1)) {
      const isSampled = listed.length < Math.min(limit, maxSampledResources) && Date.now() < sampleUntil;
      const looked = isSampled ? await sample(target, resource, signal) : undefined;
      if (looked === undefined) sampleUntil = 0;
      else if (looked instanceof RemoteFailure) failures.push(looked);
      else isAnswered = true;
      const key = tieBreakerColumn(resource);
      listed.push({
        resource: resource.request_path,
        name: resource.request_path.split('/').filter(Boolean).at(-1) ?? resource.request_path,
        kind: 'endpoint',
        columns: Array.isArray(looked) ? looked : [],
        error: looked instanceof RemoteFailure ? looked.message : null,
        estimatedRows: null,
        keyColumns: key === undefined ? [] : [key],
      });
    }
    // If no resource can be read, the fault is in the source, not in one resource.
    if (!isAnswered && failures.length > 0) throw failures[0];
    return listed;
  },
};
