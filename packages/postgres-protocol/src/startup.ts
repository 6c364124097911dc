import { ProtocolFault, violation } from './fault.ts';
import { Fields } from './fields.ts';

/** What a client says first. */
export type Startup =
  | { kind: 'tls' }
  /** Encryption by Kerberos, which is declined. */
  | { kind: 'gss' }
  /** Ends what another session does. */
  | { kind: 'cancel'; processId: number; secret: Buffer }
  | { kind: 'session'; minorVersion: number; parameters: ReadonlyMap<string, string> };

const codes = { cancel: 80_877_102, tls: 80_877_103, gss: 80_877_104 };
/** Of a session: a client sends fewer than ten. */
const mostParameters = 100;

/** @throws ProtocolFault */
export function readStartup(body: Buffer): Startup {
  const fields = new Fields(body);
  const code = fields.int32();
  if (code === codes.tls || code === codes.gss) {
    fields.end();
    return { kind: code === codes.tls ? 'tls' : 'gss' };
  }
  if (code === codes.cancel) {
    const processId = fields.int32();
    return { kind: 'cancel', processId, secret: Buffer.from(fields.bytes(fields.left)) };
  }
  if (code >> 16 !== 3)
    throw new ProtocolFault('0A000', 'This server speaks version 3 of the protocol of PostgreSQL.');
  const parameters = new Map<string, string>();
  for (;;) {
    const name = fields.text();
    if (name === '') break;
    if (parameters.size >= mostParameters) throw violation('The startup message has too many parameters.');
    parameters.set(name, fields.text());
  }
  return { kind: 'session', minorVersion: code & 0xffff, parameters };
}
