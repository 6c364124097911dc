import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NewAuditEvent } from '../../domain/workspace/audit/events.ts';
import type { Person } from '../../domain/workspace/people/accounts.ts';
import type { PageSession } from '../../domain/workspace/people/sessions.ts';
import type { ApiDeps } from '../deps.ts';
import type { Html } from './html.ts';

/** What every page may use. */
export interface Pages
  extends Pick<ApiDeps, 'db' | 'cipher' | 'publicUrl' | 'publicClients' | 'identityProvider'> {
  /** Records what a person did here, or was refused, in the audit. */
  record(
    request: FastifyRequest,
    person: Person,
    event: Pick<NewAuditEvent, 'action' | 'outcome'> & Partial<NewAuditEvent>,
  ): Promise<void>;
  /** The fields of every form: who posts it got it from here. */
  formFields(reply: FastifyReply): Html;
  sessionOf(request: FastifyRequest): Promise<PageSession | undefined>;
  setSession(reply: FastifyReply, secret: string): void;
  clearSession(reply: FastifyReply): void;
  /** The sign-in at the provider that this browser began, as sealed text. */
  progressOf(request: FastifyRequest): string | undefined;
  setProgress(reply: FastifyReply, sealed: string, seconds: number): void;
  clearProgress(reply: FastifyReply): void;
}
