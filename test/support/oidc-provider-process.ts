import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** The process of oidc-provider.ts: what is typed as the login on its page is the person's claims, as JSON. */
const [clients, conformIdTokenClaims] = JSON.parse(process.argv[2]!);
let isDown = false;
let answer: RequestListener | undefined;

const server = createServer((request, response) => {
  if (isDown) request.socket.destroy();
  else answer!(request, response);
});
process.on('message', (message) => {
  ({ isDown } = message as { isDown: boolean });
  process.send!({ isDown });
});
process.once('disconnect', () => process.exit());

// That its keys and pages are for tests alone is known.
console.warn = () => undefined;

server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims,
    cookies: { keys: ['a key of tests'] },
    findAccount: (_context, id) => ({ accountId: id, claims: () => JSON.parse(id) }),
    // The person stays the same while the other claims change.
    subjectTypes: ['pairwise'],
    pairwiseIdentifier: (_context, id) => JSON.parse(id).sub,
  });
  answer = provider.callback();
  process.send!({ issuer });
});
