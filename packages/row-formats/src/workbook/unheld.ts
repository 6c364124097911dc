const shownLength = 200;

/** What a user is told of a value that the format cannot hold. */
export function unheldMessage(name: string, why: string, holder: string): string {
  return `The column ${shownName(name)} has ${why}, which ${holder} cannot hold. Cast it to text, or export another format.`;
}

export function shownName(name: string): string {
  return JSON.stringify(name.length > shownLength ? `${name.slice(0, shownLength)}…` : name);
}
