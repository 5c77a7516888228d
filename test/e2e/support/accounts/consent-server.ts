import type { TestServer } from "../../../support/server.ts";
import { startSession } from "../api/callers.ts";
import { startPlainServer } from "../servers/plain-server.ts";
import { type Account, addAccount } from "./accounts.ts";
import { MANY_REGISTRATIONS } from "./oauth.ts";

/** A server with an account, and a session of it in a browser. */
export type ConsentServer = TestServer & { readonly account: Account; readonly session: string };

/** Starts a server with a person who can consent to applications. */
export async function startConsentServer(): Promise<ConsentServer> {
  const server = await startPlainServer(MANY_REGISTRATIONS);
  const account = await addAccount(server);
  return Object.assign(server, { account, session: await startSession(server, account) });
}
