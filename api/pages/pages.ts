import type { FastifyReply, FastifyRequest } from 'fastify';
import type { NewAuditEvent } from '../../domain/workspace/audit/events.ts';
import type { DoneEvent } from '../../domain/workspace/audit/recorded-work.ts';
import type { Person } from '../../domain/workspace/people/accounts.ts';
import type { PageSession } from '../../domain/workspace/people/sessions.ts';
import type { ApiDeps } from '../deps.ts';
import type { Html } from './html.ts';

/** What was done on a page, and to what if it is not the person. */
export type PageEvent = Pick<DoneEvent, 'action'> & Partial<Pick<DoneEvent, 'resource'>>;

/** The person of a result that has one. */
export const personIn = (result: unknown): Person | undefined =>
  (result as { person?: Person } | undefined)?.person;

/** What every page may use. */
export interface Pages
  extends Pick<ApiDeps, 'db' | 'cipher' | 'publicUrl' | 'publicClients' | 'identityProvider'> {
  /** Records what a person was refused here, or what has no transaction of its own, in the audit. */
  record(
    request: FastifyRequest,
    person: Person,
    outcome: NewAuditEvent['outcome'],
    event: PageEvent,
  ): Promise<void>;
  /** Records what a person does here in the transaction that does it, whose result says who it is. */
  recording<T>(
    request: FastifyRequest,
    personOf: (result: unknown) => Person | undefined,
    event: PageEvent,
    work: () => Promise<T>,
  ): Promise<T>;
  /** The fields of every form: who posts it got it from here. */
  formFields(reply: FastifyReply): Html;
  sessionOf(request: FastifyRequest): Promise<PageSession | undefined>;
  /** Ends it, and the logins of the console that began in it. */
  endSession(session: PageSession): Promise<void>;
  setSession(reply: FastifyReply, secret: string): void;
  clearSession(reply: FastifyReply): void;
  /** The sign-in at the provider that this browser began, as sealed text. */
  progressOf(request: FastifyRequest): string | undefined;
  setProgress(reply: FastifyReply, sealed: string, seconds: number): void;
  clearProgress(reply: FastifyReply): void;
}
