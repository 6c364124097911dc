/** A client without a secret, which acts for a person who approved it. */
export interface PublicClient {
  id: string;
  /** Shown to the person who decides. */
  name: string;
}

const builtIn: readonly PublicClient[] = [{ id: 'cli', name: 'the command line' }];

export function findPublicClient(id: string): PublicClient | undefined {
  return builtIn.find((client) => client.id === id);
}
