import assert from "node:assert/strict";
import type { Ctx, RequestContext } from "../../../src/context.ts";
import { AppError } from "../../../src/errors.ts";
import { findSignedIn } from "../../../src/service/accounts/sessions.ts";

export const PASSWORD = "correct horse battery";

/** Makes contexts of calls. `getCtx` is called each time, because suites open their database in a hook. */
export function signInCalls(getCtx: () => Ctx) {
  let addresses = 0;
  /** Makes a call from a new IP address, so that other tests' attempts do not count. */
  function newCall(): RequestContext {
    addresses += 1;
    const address = `198.51.${addresses >> 8}.${addresses & 255}`;
    return { actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:x" }, address, channel: "api", userAgent: "test" };
  }
  /** Makes a call in the session with this token, from a new IP address. */
  async function asPerson(sessionToken: string): Promise<RequestContext> {
    const person = (await findSignedIn(getCtx(), sessionToken)) ?? assert.fail("the session has ended");
    return { ...newCall(), actor: person.actor };
  }
  return { newCall, asPerson };
}

/** Returns the code of an error of the service, or another error's text. */
export const codeOfError = (error: unknown): string => (error instanceof AppError ? error.code : String(error));

/** Resolves to "done", or to the code of the error with which the operation fails. */
export const outcome = (work: Promise<unknown>): Promise<string> => work.then(() => "done", codeOfError);
