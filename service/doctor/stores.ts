import { randomUUID } from 'node:crypto';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { AppError } from '../../data/errors.ts';
import { createObjectKeys } from '../../data/objects/access-keys.ts';
import type { ObjectStoreSettings } from '../../data/objects/settings.ts';
import { createObjectStore, type ObjectStore } from '../../data/objects/store.ts';
import { createTemporalClient, type TemporalSettings } from '../../data/processes/connect.ts';
import { searchAttributeNames } from '../../workflows/task-queues.ts';
import { compareClock } from './clock.ts';
import { checked, Failed, type Finding, messageOf } from './finding.ts';

const folder = 'doctor/';

/** Writes, reads, lists and removes one small object. */
export async function examineObjectStore(settings: ObjectStoreSettings): Promise<Finding> {
  const store = createObjectStore(settings);
  const where = settings.endpoint ?? 'Amazon S3';
  try {
    return await checked(
      'Object store',
      async () => {
        // Some stores would make it for the first object.
        if (!(await isThere(store)))
          return {
            found: `There is no bucket ${settings.bucket} at ${where}.`,
            todo: 'The API and the worker create it when they start, if the key is allowed to. Otherwise, create it yourself.',
          };
        await tryRights(store, `${folder}${randomUUID()}`);
        return `${where}, bucket ${settings.bucket}: writing, reading, listing and deleting work`;
      },
      (error) => ({
        found: `${where}, bucket ${settings.bucket}: ${causeOf(error)}`,
        todo: 'Check S3_ENDPOINT, S3_BUCKET and S3_REGION. Check that the key is right and the store is running.',
      }),
    );
  } finally {
    store.close();
  }
}

async function isThere(store: ObjectStore): Promise<boolean> {
  try {
    await store.ping();
    return true;
  } catch (error) {
    // What else is wrong has no text in the answer to HEAD; writing shows it.
    return !(error instanceof AppError && error.code === 'not_found');
  }
}

async function tryRights(store: ObjectStore, key: string): Promise<void> {
  const attempt = async (right: string, work: () => Promise<unknown>) => {
    try {
      return await work();
    } catch (error) {
      if (!isDenied(error)) throw error;
      throw new Failed(
        `The key isn't allowed to ${right} objects in the bucket ${store.settings.bucket}.`,
        'Grant the key s3:PutObject, s3:GetObject, s3:ListBucket and s3:DeleteObject on the bucket.',
      );
    }
  };
  await attempt('write', () => store.put(key, Buffer.from('doctor'), 'text/plain'));
  await attempt('read', async () => (await store.read(key)).resume());
  await attempt('list', () => store.list(folder, 1));
  await attempt('delete', () => store.remove(key));
}

function isDenied(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if (at.name === 'AccessDenied') return true;
  return false;
}

/** The innermost cause, which the store itself told. */
function causeOf(error: Error): string {
  let at = error;
  while (at.cause instanceof Error) at = at.cause;
  return at.name === 'Error' || at.message.includes(at.name) ? messageOf(at) : `${at.name}: ${messageOf(at)}`;
}

/** The API that makes keys for lake credentials. Undefined if there is none, and so no such credentials. */
export async function examineIam(
  settings: ObjectStoreSettings,
  iamEndpoint: string | undefined,
): Promise<Finding | undefined> {
  const keys = createObjectKeys(settings, iamEndpoint);
  if (keys === undefined) return undefined;
  try {
    return await checked(
      'Lake keys',
      async () => {
        await keys.remove(`doctor-${randomUUID()}`);
        return `${iamEndpoint ?? 'Amazon IAM'} answers`;
      },
      (error) => ({
        found: `${iamEndpoint ?? 'Amazon IAM'}: ${causeOf(error)}`,
        todo: 'Check S3_IAM_ENDPOINT and the permissions of the key, or set LAKE_CREDENTIALS=false.',
      }),
    );
  } finally {
    keys.close();
  }
}

export async function examineTemporal(settings: TemporalSettings): Promise<Finding[]> {
  const where = `${settings.address}, namespace ${settings.namespace}`;
  let client: Client;
  try {
    client = createTemporalClient(settings, {});
  } catch (error) {
    const found = `${where}: ${messageOf(error as Error)}`;
    return [
      {
        check: 'Temporal',
        state: 'failed',
        found,
        todo: 'Check TEMPORAL_ADDRESS and the certificate files.',
      },
    ];
  }
  try {
    const server = await checked(
      'Temporal',
      async () => {
        const { namespaceInfo } = await client.workflowService.describeNamespace({
          namespace: settings.namespace,
        });
        return `${settings.address}, namespace ${namespaceInfo?.name}`;
      },
      (error) => explainTemporal(error, settings, where),
    );
    if (server.state === 'failed') return [server];
    return [
      server,
      await checked(
        'Search attributes',
        () => searchAttributes(client, settings.namespace),
        () => ({
          todo: 'Check the permissions of the API key or certificate.',
        }),
      ),
      await checked(
        'Clock of Temporal',
        () =>
          compareClock('Temporal', () => clock(client, settings.namespace)).catch((error: Error) => ({
            found: `The clocks couldn't be compared: ${messageOf(error)}`,
            todo: 'Allow the API key or certificate to create and delete schedules, or compare the clocks by hand.',
          })),
        () => ({ todo: 'Compare the clocks by hand.' }),
      ),
    ];
  } finally {
    await client.connection.close().catch(() => undefined);
  }
}

/** The server tells its time only of what it made: a schedule that never fires, and is removed again. */
async function clock({ workflowService }: Client, namespace: string): Promise<Date> {
  const schedule = { namespace, scheduleId: `doctor/${randomUUID()}` };
  const workflowId = schedule.scheduleId;
  await workflowService.createSchedule({
    ...schedule,
    requestId: workflowId,
    schedule: {
      spec: {},
      action: {
        startWorkflow: { workflowId, workflowType: { name: 'none' }, taskQueue: { name: 'none' } },
      },
      state: { paused: true, notes: 'Created by doctor to compare clocks.' },
    },
  });
  try {
    const { info } = await workflowService.describeSchedule(schedule);
    return new Date(Number(info!.createTime!.seconds) * 1_000 + (info!.createTime!.nanos ?? 0) / 1e6);
  } finally {
    await workflowService.deleteSchedule(schedule);
  }
}

const grpcNotFound = 5;
const grpcForbidden = [7, 12, 16];

function explainTemporal(
  error: Error,
  settings: TemporalSettings,
  where: string,
): { found: string; todo: string } {
  const code = isGrpcServiceError(error) ? error.code : undefined;
  if (code === grpcNotFound)
    return {
      found: `There is no namespace ${settings.namespace} at ${settings.address}.`,
      todo: `Correct TEMPORAL_NAMESPACE, or run: temporal operator namespace create -n ${settings.namespace}`,
    };
  if (code !== undefined && grpcForbidden.includes(code))
    return {
      found: `${where}: ${messageOf(error)}`,
      todo: 'Check TEMPORAL_API_KEY or the client certificate.',
    };
  return {
    found: `${where}: ${messageOf(error)}`,
    todo: 'Check TEMPORAL_ADDRESS (host:port) and TEMPORAL_TLS. Check that the server is running and that this machine can reach it.',
  };
}

async function searchAttributes(
  client: Client,
  namespace: string,
): Promise<string | { found: string; todo: string }> {
  const names = searchAttributeNames.join(', ');
  const known = await client.connection.operatorService
    .listSearchAttributes({ namespace })
    .catch((error: unknown) => {
      if (isGrpcServiceError(error) && grpcForbidden.includes(error.code)) return undefined;
      throw error;
    });
  if (known === undefined)
    return {
      found: "The server doesn't list them.",
      todo: `Make sure the namespace has the Keyword attributes ${names}.`,
    };
  const missing = searchAttributeNames.filter((name) => known.customAttributes?.[name] === undefined);
  if (missing.length === 0) return names;
  return {
    found: `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not registered.`,
    todo: 'A worker registers them when it starts, if it is allowed to. Otherwise, register them as Keyword attributes.',
  };
}
