/** The members of a body that are not as they were: what nobody changed is left to the service as it is there now. */
export const changesOf = <Body extends object>(now: Body, before: Body): Partial<Body> =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Body]),
    ),
  ) as Partial<Body>;
