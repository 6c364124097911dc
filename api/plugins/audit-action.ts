/** What a route that changes something is in the audit, or why it is not in it. */
export type AuditAction = `${string}.${string}` | { none: string };

interface AuditedRoute {
  method: string;
  url: string;
  operationId: string;
  isPublic: boolean;
  declared: AuditAction | undefined;
}

export interface AuditActions {
  /** Undefined if the route is recorded only when it is refused. */
  done: string | undefined;
  /** The action of a refusal, also of reads: `table_catalog.read`. */
  refused: string;
}

/**
 * A public route has no caller whose event this would be, and records by itself what it does.
 *
 * @throws Error at startup for a route that changes something and doesn't say what it is in the audit
 */
export function auditActions(route: AuditedRoute): AuditActions {
  const { method, url, operationId, isPublic, declared } = route;
  const isRead = method === 'GET' || method === 'HEAD';
  if (declared === undefined && !isRead && !isPublic)
    throw new Error(`${method} ${url} (${operationId}) doesn't declare its \`audit\` action.`);
  const done = typeof declared === 'string' ? declared : undefined;
  return { done, refused: done ?? readOf(operationId) };
}

function readOf(operationId: string): string {
  const noun = operationId.replace(/^(get|list)/, '');
  return `${noun.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()}.read`;
}
