/** The types that the tests use of a package without types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  export interface Account {
    readonly accountId: string;
    claims(): { readonly sub: string } & Readonly<Record<string, unknown>>;
  }

  export interface Configuration {
    readonly clients: readonly Readonly<Record<string, unknown>>[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly cookies: { readonly keys: readonly string[] };
    readonly jwks: { readonly keys: readonly object[] };
    findAccount(context: unknown, id: string): Promise<Account | undefined>;
  }

  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
  }
}
