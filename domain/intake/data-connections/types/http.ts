import type { ConfigField, ConnectionTypeTable, Field } from './field.ts';
import {
  baseUrlFault,
  basicUserFault,
  bearerFault,
  headerNameFault,
  headerValueFault,
  originOf,
  secretTextFault,
  webAddressFault,
} from './texts.ts';

export const authTypes = ['none', 'basic', 'bearer', 'header', 'oauth_client_credentials'] as const;
type AuthType = (typeof authTypes)[number];

/** A string field that applies to one authentication type only. */
function underAuth(
  auth: AuthType,
  isNeeded: boolean,
  field: Pick<Field, 'key' | 'label' | 'example' | 'fault'>,
): Field {
  const only = { auth_type: [auth] };
  return {
    ...field,
    type: 'string',
    required: false,
    appliesWhen: only,
    ...(isNeeded ? { requiredWhen: only } : {}),
  };
}

const redirecting = (...secrets: readonly string[]): Pick<ConfigField, 'directs' | 'destination'> => ({
  directs: secrets,
  destination: originOf,
});

export const http: ConnectionTypeTable = {
  type: 'http',
  label: 'HTTP API',
  config: [
    {
      key: 'base_url',
      label: 'Base URL',
      type: 'string',
      required: true,
      example: 'https://api.example.com/v1',
      fault: baseUrlFault,
      // The client secret is not sent there, but the access token obtained with it is.
      ...redirecting('password', 'token', 'header_value', 'client_secret'),
    },
    {
      key: 'auth_type',
      label: 'Authentication',
      type: 'enum',
      required: false,
      values: authTypes,
      example: 'bearer',
      preset: 'none',
      // Each secret applies to one type only, so no stored secret can be sent by another type.
      directs: [],
    },
    {
      ...underAuth('basic', true, {
        key: 'username',
        label: 'User name',
        example: 'integration',
        fault: basicUserFault,
      }),
      directs: [],
    },
    {
      ...underAuth('header', true, {
        key: 'header_name',
        label: 'Header name',
        example: 'X-Api-Key',
        fault: headerNameFault,
      }),
      // Servers consume some headers themselves, and write others to logs and answers.
      directs: ['header_value'],
      destination: (name) => name.toLowerCase(),
    },
    {
      ...underAuth('oauth_client_credentials', true, {
        key: 'token_url',
        label: 'Token URL',
        example: 'https://auth.example.com/oauth/token',
        fault: webAddressFault,
      }),
      ...redirecting('client_secret'),
    },
    {
      ...underAuth('oauth_client_credentials', true, {
        key: 'client_id',
        label: 'Client id',
        example: 'workspace',
        fault: secretTextFault,
      }),
      directs: [],
    },
  ],
  secrets: [
    underAuth('basic', false, { key: 'password', label: 'Password', fault: secretTextFault }),
    underAuth('bearer', true, { key: 'token', label: 'Bearer token', fault: bearerFault }),
    underAuth('header', true, { key: 'header_value', label: 'Header value', fault: headerValueFault }),
    underAuth('oauth_client_credentials', true, {
      key: 'client_secret',
      label: 'Client secret',
      fault: secretTextFault,
    }),
  ],
};
