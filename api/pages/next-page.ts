/** The query has the characters of RFC 3986 §3.4, which programs leave as they are in a `state`. */
const onward = [
  /^\/console\/$/,
  /^\/device(\?user_code=[A-Za-z-]{0,20})?$/,
  /^\/v1\/auth\/authorize\?[\w.~%!$&'()*+,;=:@/?-]{1,8000}$/,
];

/**
 * Whether a page asks on behalf of which organization a program may act. The console acts for that of the
 * session, and does not ask.
 */
export const asksOrganization = (next: string): boolean =>
  next.startsWith('/device') ||
  (next.startsWith('/v1/') && new URL(next, 'http://localhost').searchParams.get('client_id') !== 'console');

/** Only pages of this service follow a sign-in; anything else is the page that says who is signed in. */
export function nextPage(next: string | undefined): string {
  const isOurs = onward.some((pattern) => pattern.test(next ?? ''));
  return isOurs ? next! : '/sign-in';
}
