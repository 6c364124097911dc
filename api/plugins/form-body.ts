import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';

/** Credentials, codes and names are far below it, and anybody may send them. */
export const maxFormBytes = 65_536;

/** Makes the routes of this scope take forms, and nothing else. */
export function formBody(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    async (_request: FastifyRequest, body: string) => formFields(body),
  );
  app.removeContentTypeParser('application/json');
  // Every parameter may be left out where the client authenticates by HTTP Basic, and then the body too.
  app.addHook('preValidation', async (request) => {
    request.body ??= {};
  });
}

/** The parameters of a form (RFC 6749 §3.2): none may come twice, and an empty one counts as left out. */
function formFields(text: string): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name))
      throw new AppError(
        'invalid_request',
        `The parameter ${name.slice(0, 64)} was sent more than once. Send it once.`,
      );
    fields.set(name, value);
  }
  return Object.fromEntries([...fields].filter(([, value]) => value !== ''));
}
