import {
  CreateAccessKeyCommand,
  CreateUserCommand,
  DeleteAccessKeyCommand,
  DeleteUserCommand,
  DeleteUserPolicyCommand,
  EntityAlreadyExistsException,
  IAMClient,
  ListAccessKeysCommand,
  NoSuchEntityException,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { AppError } from '../errors.ts';
import type { ObjectStoreSettings } from './settings.ts';

export interface ObjectKey {
  accessKeyId: string;
  secretAccessKey: string;
}

/** Users of the object store who may read what is below some prefixes of the bucket. Both may be repeated. */
export interface ObjectKeys {
  /** Makes the user, with one key: earlier ones end. Below `writable`, it may also add objects. */
  make(user: string, prefixes: readonly string[], writable?: string): Promise<ObjectKey>;
  /** Removes the user with all keys. */
  remove(user: string): Promise<void>;
  close(): void;
}

const policyName = 'read-lake';

/**
 * By the IAM API of Amazon, SeaweedFS or Ceph. Undefined if the store is not Amazon's and no such API is
 * named.
 */
export function createObjectKeys(
  { endpoint, region, bucket, ...credentials }: ObjectStoreSettings,
  iamEndpoint: string | undefined,
): ObjectKeys | undefined {
  if (endpoint !== undefined && iamEndpoint === undefined) return undefined;
  const client = new IAMClient({
    ...{ region, credentials },
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
    ...(iamEndpoint === undefined ? {} : { endpoint: iamEndpoint }),
  });

  async function removeKeys(UserName: string): Promise<void> {
    const { AccessKeyMetadata = [] } = await client.send(new ListAccessKeysCommand({ UserName }));
    for (const { AccessKeyId } of AccessKeyMetadata)
      await client.send(new DeleteAccessKeyCommand({ UserName, AccessKeyId }));
  }

  return {
    async make(UserName, prefixes, writable) {
      try {
        await client.send(new CreateUserCommand({ UserName })).catch(ignore(EntityAlreadyExistsException));
        await removeKeys(UserName);
        const PolicyDocument = JSON.stringify(policyOf(partitionOf(region), bucket, prefixes, writable));
        await client.send(new PutUserPolicyCommand({ UserName, PolicyName: policyName, PolicyDocument }));
        const { AccessKey } = await client.send(new CreateAccessKeyCommand({ UserName }));
        return { accessKeyId: AccessKey!.AccessKeyId!, secretAccessKey: AccessKey!.SecretAccessKey! };
      } catch (error) {
        throw unavailable(error);
      }
    },
    async remove(UserName) {
      const gone = ignore(NoSuchEntityException);
      try {
        await removeKeys(UserName).catch(gone);
        await client.send(new DeleteUserPolicyCommand({ UserName, PolicyName: policyName })).catch(gone);
        await client.send(new DeleteUserCommand({ UserName })).catch(gone);
      } catch (error) {
        throw unavailable(error);
      }
    },
    close: () => client.destroy(),
  };
}

/** Amazon's regions in China and of its government are worlds of their own. */
function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

function policyOf(
  partition: string,
  bucket: string,
  prefixes: readonly string[],
  writable: string | undefined,
): object {
  const arn = `arn:${partition}:s3:::${bucket}`;
  return {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: ['s3:GetObject'], Resource: prefixes.map((prefix) => `${arn}/${prefix}*`) },
      {
        ...{ Effect: 'Allow', Action: ['s3:ListBucket'], Resource: [arn] },
        Condition: { StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } },
      },
      ...(writable === undefined
        ? []
        : [
            {
              Effect: 'Allow',
              Action: ['s3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
              Resource: [`${arn}/${writable}*`],
            },
          ]),
    ],
  };
}

const ignore =
  (expected: new (...given: never[]) => Error) =>
  (error: unknown): void => {
    if (!(error instanceof expected)) throw error;
  };

const unavailable = (cause: unknown) =>
  new AppError(
    'storage_unavailable',
    "The object store can't create or delete keys right now. Try again shortly.",
    {
      retryAfterSeconds: 5,
      cause,
    },
  );
