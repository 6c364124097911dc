/** RFC 8707: whether what a client names is this service, whose tokens are for all of it. */
export const isOurs = (issuer: string, resource: string | undefined): boolean =>
  resource === undefined || [issuer, `${issuer}/`, `${issuer}/mcp`].includes(resource);
