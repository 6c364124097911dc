import type { ConfigField, ConnectionTypeTable, Field } from './field.ts';
import { hostFault, identifierFault, secretTextFault } from './texts.ts';

/** From least to most secure. */
export const sslModes = ['disable', 'require', 'verify_full'] as const;

/** Fields of every database that is reached at a host and a port. */
export function serverFields(port: number): readonly ConfigField[] {
  return [
    {
      key: 'host',
      label: 'Host',
      type: 'string',
      required: true,
      example: 'db.example.com',
      fault: hostFault,
      directs: ['password'],
      destination: (host) => host.toLowerCase(),
    },
    {
      key: 'port',
      label: 'Port',
      type: 'integer',
      required: false,
      example: port,
      preset: port,
      range: [1, 65_535],
      directs: ['password'],
    },
    {
      key: 'database',
      label: 'Database',
      type: 'string',
      required: true,
      example: 'shop',
      fault: identifierFault,
      directs: [],
    },
    {
      key: 'user',
      label: 'User',
      type: 'string',
      required: true,
      example: 'readonly',
      fault: identifierFault,
      directs: [],
    },
    {
      key: 'ssl_mode',
      label: 'TLS mode',
      type: 'enum',
      required: false,
      values: sslModes,
      example: 'verify_full',
      preset: 'require',
      directs: ['password'],
      isSafer: (before, after) => safety(after) > safety(before),
    },
  ];
}

const safety = (mode: string): number => (sslModes as readonly string[]).indexOf(mode);

export const databasePassword: Field = {
  key: 'password',
  label: 'Password',
  type: 'string',
  required: false,
  fault: secretTextFault,
};

export const postgres: ConnectionTypeTable = {
  type: 'postgres',
  label: 'PostgreSQL',
  config: serverFields(5_432),
  secrets: [databasePassword],
};
