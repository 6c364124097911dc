import { z } from 'zod';
import { tokenAnswer } from './schemas.ts';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const clientId = z.string().meta({ examples: ['cli'] });

/** RFC 8628 §3.1; unknown form fields are ignored. */
export const deviceCodeForm = z
  .object({
    client_id: clientId.optional(),
    scope: z
      .string()
      .optional()
      .describe('Scopes, separated by spaces. The default is `agent:read agent:write`.'),
  })
  .meta({
    additionalProperties: { type: 'string' },
    examples: [{ client_id: 'cli', scope: 'agent:read' }],
  });

export const deviceCodeAnswer = z
  .object({
    device_code: z.string(),
    user_code: z.string().meta({ examples: ['BCDF-GHJK'] }),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.int().describe('Seconds.'),
    interval: z.int().describe('The minimum number of seconds between polls.'),
  })
  .meta({
    id: 'DeviceCode',
    examples: [
      {
        device_code: 'wdc_…',
        user_code: 'BCDF-GHJK',
        verification_uri: 'https://workspace.example.com/device',
        verification_uri_complete: 'https://workspace.example.com/device?user_code=BCDF-GHJK',
        expires_in: 900,
        interval: 5,
      },
    ],
  });

/** RFC 8628 §3.4 and RFC 6749 §6; unknown form fields are ignored. */
export const deviceTokenForm = z
  .object({
    grant_type: z
      .string()
      .optional()
      .meta({ enum: [deviceGrant, 'refresh_token'] }),
    device_code: z.string().optional(),
    refresh_token: z.string().optional(),
    client_id: clientId.optional(),
    scope: z
      .string()
      .optional()
      .describe('For a refresh: some of the scopes of the login. The default is all of them.'),
  })
  .meta({
    additionalProperties: { type: 'string' },
    examples: [{ grant_type: deviceGrant, device_code: 'wdc_…', client_id: 'cli' }],
  });

export const tokenPair = tokenAnswer.extend({ refresh_token: z.string() }).meta({
  id: 'TokenPair',
  examples: [
    {
      access_token: 'wat_…',
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'agent:read agent:write',
      refresh_token: 'wrt_…',
    },
  ],
});
