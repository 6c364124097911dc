import { z } from 'zod';
import { ValidationError } from '../../../data/errors.ts';
import type { File } from '../../../domain/workspace/files/files.ts';
import { pathFault } from '../../../domain/workspace/files/path.ts';
import { maxUploadBytes } from '../../../domain/workspace/files/uploads.ts';
import { limits } from '../../../domain/workspace/limits/limits.ts';
import { envelope, timestamp } from '../../schemas.ts';
import { textFault } from '../../text.ts';

export const maxContentBytes = limits.files.contentBytes.most;

export const fileSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    path: z.string().meta({ examples: ['raw/orders.csv'] }),
    contentType: z.string(),
    sizeBytes: z.int(),
    sha256: z.string(),
    version: z.int(),
    source: z.enum(['write', 'upload']),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'File' });

export const fileExample: z.input<typeof fileSchema> = {
  id: 'fil_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  path: 'raw/orders.csv',
  contentType: 'text/csv',
  sizeBytes: 18_204,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  version: 1,
  source: 'write',
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

const anyBytes = { schema: z.any().meta({ type: 'string', format: 'binary' }) };
/** Some generators of clients take no range of content types, but the one that stands for all bytes. */
const bytes = (description: string) => ({
  description,
  content: { 'application/octet-stream': anyBytes, '*/*': anyBytes },
});

/** A file's content has its own content type. */
export const contentResponses = {
  200: bytes('The bytes, with the content type of the file.'),
  206: bytes('The requested range of the bytes.'),
};

const pathPart = '(?!\\.{1,2}(?:/|$))[^/\\\\\\x00-\\x1f\\x7f-\\x9f]+';
/** The same as `pathFault`, in JSON Schema. */
const documentedPath = { minLength: 1, maxLength: 1_024, pattern: `^${pathPart}(?:/${pathPart})*$` };

/** The path of a file, in a body; to be normalized where it is used. */
export const sentPath = z
  .string()
  .superRefine((path, context) => {
    const reason = pathFault(path);
    if (reason !== undefined) context.addIssue({ code: 'custom', message: reason });
  })
  .meta(documentedPath);

export const writeContentQuery = z.object({
  path: sentPath
    .transform((path) => path.normalize('NFC'))
    .meta({
      ...documentedPath,
      description: 'A relative path in the project, 1–1024 bytes.',
      examples: ['notes/readme.md'],
    }),
});

/** White space may occur anywhere; the padding is optional. */
const base64Content = {
  pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$',
};

export const writeContentBody = z
  .strictObject({
    content: z.string().superRefine((content, context) => {
      const message = textFault(content);
      if (message !== undefined) context.addIssue({ code: 'custom', message: `${message} Send base64.` });
    }),
    encoding: z.enum(['utf-8', 'base64']).default('utf-8'),
  })
  .meta({
    oneOf: [
      {
        title: 'text',
        properties: { encoding: { const: 'utf-8' }, content: { pattern: '^[^\\u0000]*$' } },
      },
      {
        title: 'base64',
        required: ['encoding'],
        properties: { encoding: { const: 'base64' }, content: base64Content },
      },
    ],
    examples: [{ content: 's_id,city\n1,Porto\n', encoding: 'utf-8' }],
  });

const uploadFormSchema = z
  .object({
    upload_id: z.string(),
    url: z.string(),
    fields: z.record(z.string(), z.string()),
    max_bytes: z.literal(maxUploadBytes),
    expires_in_seconds: z.int(),
  })
  .meta({ id: 'UploadForm' });

export const uploadForm = envelope(uploadFormSchema).meta({
  examples: [
    {
      data: {
        upload_id: 'upl_01kahz3v6dfyvb1s8m3h9q2w4x',
        url: 'https://storage.example.com/workspace',
        fields: { key: 'uploads/…', policy: '…', 'X-Amz-Signature': '…' },
        max_bytes: maxUploadBytes,
        expires_in_seconds: 3_600,
      },
    },
  ],
});

export const finalizeBody = z
  .strictObject({
    path: z.string().meta(documentedPath),
    content_type: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[\w.+-]+\/[\w.+-]+(;[\x20-\x7e]*)?$/)
      .optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('The SHA-256 in lowercase hex. The service compares it with the uploaded bytes.'),
  })
  .superRefine(({ path }, context) => {
    const reason = pathFault(path);
    if (reason !== undefined) context.addIssue({ code: 'custom', path: ['path'], message: reason });
  })
  .meta({ examples: [{ path: 'raw/orders.csv' }] });

/** Even a content type that a browser could run is only sent as a download. */
export function fileView(file: File): z.infer<typeof fileSchema> {
  return {
    id: file.id,
    projectId: file.project_id,
    path: file.path,
    contentType: file.content_type,
    sizeBytes: file.size_bytes,
    sha256: file.sha256,
    version: file.version,
    source: file.source,
    createdAt: file.created_at.toISOString(),
    updatedAt: file.updated_at.toISOString(),
  };
}

/** With or without padding. */
function isBase64(text: string): boolean {
  const [digits = '', padding = ''] = text.split(/(={1,2})$/, 2);
  const isWhole = padding === '' ? digits.length % 4 !== 1 : text.length % 4 === 0;
  return isWhole && /^[A-Za-z0-9+/]*$/.test(digits);
}

/** The bytes to write; CSV sent as the body itself is used unchanged. */
export function decodeContent(body: z.infer<typeof writeContentBody> | Buffer): Buffer {
  if (Buffer.isBuffer(body)) return body;
  const { content, encoding } = body;
  const loc = ['body', 'content'];
  if (encoding === 'base64' && !isBase64(content.replace(/\s+/g, ''))) {
    throw new ValidationError([{ loc, msg: "The content isn't valid base64.", type: 'value_error' }]);
  }
  const bytes = encoding === 'base64' ? Buffer.from(content, 'base64') : Buffer.from(content, 'utf8');
  if (bytes.length > maxContentBytes) {
    throw new ValidationError([
      {
        loc,
        msg: `The content has ${bytes.length} bytes; the limit is ${maxContentBytes}. Use an upload.`,
        type: 'string_too_long',
      },
    ]);
  }
  return bytes;
}
