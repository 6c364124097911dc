/** The query has the characters of RFC 3986 §3.4, which programs leave as they are in a `state`. */
const onward = [
  /^\/device(\?user_code=[A-Za-z-]{0,20})?$/,
  /^\/v1\/auth\/authorize\?[\w.~%!$&'()*+,;=:@/?-]{1,8000}$/,
];

/** Only pages of this service follow a sign-in; anything else is the page that says who is signed in. */
export function nextPage(next: string | undefined): string {
  const isOurs = onward.some((pattern) => pattern.test(next ?? ''));
  return isOurs ? next! : '/sign-in';
}
