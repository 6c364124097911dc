/** RFC 8707: whether what a client names is this service, whose tokens are for all of it. */
export function isOurs(issuer: string, resource: string | undefined): boolean {
  if (resource === undefined) return true;
  const named = URL.parse(resource)?.href.replace(/\/$/, '');
  const own = URL.parse(issuer)?.href.replace(/\/$/, '');
  return named !== undefined && (named === own || named === `${own}/mcp`);
}
