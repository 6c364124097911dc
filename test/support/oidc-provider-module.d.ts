/** The part of the library that the provider of the tests uses; it has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Account {
    accountId: string;
    claims(): Record<string, unknown>;
  }

  export class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: Record<string, unknown>[];
        claims: Record<string, string[]>;
        conformIdTokenClaims: boolean;
        cookies: { keys: string[] };
        findAccount(context: unknown, id: string): Account;
        subjectTypes: string[];
        pairwiseIdentifier(context: unknown, id: string): string;
      },
    );
    callback(): RequestListener;
  }
}
