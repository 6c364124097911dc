import { z } from 'zod';

/** RFC 6749 §4.4; unknown form fields are ignored, as the RFC requires. */
export const tokenForm = z
  .object({
    grant_type: z
      .string()
      .optional()
      .meta({
        enum: ['client_credentials'],
        description: 'The grant type. The default is `client_credentials`.',
      }),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    scope: z
      .string()
      .optional()
      .describe('Scope names, separated by spaces. The default is every scope that the client has.'),
  })
  .meta({
    additionalProperties: { type: 'string' },
    examples: [{ client_id: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x', client_secret: 'wcs_…', scope: 'agent:read' }],
  });

export const tokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ examples: [3600] }),
    scope: z.string().meta({ examples: ['agent:read agent:write'] }),
  })
  .meta({
    id: 'Token',
    examples: [
      { access_token: 'tok_…', token_type: 'Bearer', expires_in: 3600, scope: 'agent:read agent:write' },
    ],
  });

export const serverMetadata = z.looseObject({ issuer: z.string(), token_endpoint: z.string() });
