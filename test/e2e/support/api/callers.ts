import type { OAuthScope } from "../../../../src/contract/oauth-scopes.ts";
import { newSecret, newUuid } from "../../../../src/lib/secrets/ids.ts";
import { hashToken } from "../../../../src/lib/secrets/secrets.ts";
import { ACCESS_TOKEN_PREFIX } from "../../../../src/service/accounts/access-tokens.ts";
import { SESSION_PREFIX } from "../../../../src/service/accounts/sessions.ts";
import { type Account, addAccount, createKey } from "../accounts/accounts.ts";
import { register } from "../accounts/agents.ts";
import { connectApp, registerApp } from "../accounts/oauth.ts";
import { homeOf } from "../accounts/person.ts";
import { withDatabase } from "../servers/state.ts";
import { clientOf } from "./api.ts";
import { makeAnonymousFile, makeDelegation, makeFile, makeRequest, makeSubmission, type OwnerFixture, startImport } from "./fixtures.ts";

type Server = { readonly url: string; readonly dataDir: string };

/** A credential that is sent in place of a key. */
export interface Caller {
  readonly who: string;
  readonly key: string;
}

/** Starts a session of an account in the database; resolves to its token. The session has a recent proof unless `isUnproved`. */
export async function startSession(
  server: Server,
  { userId }: Pick<Account, "userId">,
  { isUnproved = false }: { readonly isUnproved?: boolean } = {},
): Promise<string> {
  const nowMs = Date.now();
  const token = newSecret(random, SESSION_PREFIX);
  await withDatabase(server, (db) =>
    db
      .insertInto("sessions")
      .values({
        id: newUuid(random, nowMs),
        user_id: userId,
        token: hashToken(token),
        expires_at: nowMs + 3_600_000,
        created_at: nowMs,
        updated_at: nowMs,
        proved_at: isUnproved ? null : nowMs,
      })
      .execute(),
  );
  return token;
}

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

/** Makes keys of people and programs that own none of the owner's objects. */
export async function makeStrangers({ server, otherAccount, administrator }: OwnerFixture): Promise<readonly Caller[]> {
  const keyOf = async (scope: "files_read" | "files_write") => (await createKey(server, otherAccount.key, { scope })).key;
  return [
    { who: "another user's key with the scope files_read", key: await keyOf("files_read") },
    { who: "another user's key with the scope files_write", key: await keyOf("files_write") },
    { who: "another user's key with the scope full", key: otherAccount.key },
    { who: "another user's application with the scope files.write", key: await connectOwnApp(server, otherAccount, "files.write") },
    { who: "another user's application with the scope account", key: await connectOwnApp(server, otherAccount, "account") },
    { who: "an agent", key: (await register(server)).key },
    { who: "an administrator's key", key: administrator.key },
  ];
}

/** Makes the token of an application that may use the API for an account. */
async function connectOwnApp(server: Server, account: Pick<Account, "userId">, scope: OAuthScope): Promise<string> {
  const session = await startSession(server, account);
  const change = { scope, resource: `${homeOf(server)}/api` };
  return (await connectApp(server, await registerApp(server), session, change)).access_token;
}

/** Starts sessions of people that own none of the owner's objects. */
export async function startForeignSessions({ server, otherAccount, administrator }: OwnerFixture): Promise<readonly Caller[]> {
  return [
    { who: "another user's session", key: await startSession(server, otherAccount) },
    { who: "an administrator's session", key: await startSession(server, administrator) },
  ];
}

/** Makes credentials of administrators that do not suffice to administer, with the code of the refusal. */
export async function makeWeakAdministrators({ server }: OwnerFixture): Promise<readonly (Caller & { readonly code: string })[]> {
  const isUnproved = true;
  // This account differs from the world's administrator, whose sessions end when it sets a password.
  const administrator = await addAccount(server, { isAdministrator: true });
  const { key } = await createKey(server, administrator.key, { scope: "full" });
  return [
    { who: "an administrator's ordinary key", key, code: "INSUFFICIENT_SCOPE" },
    { who: "an administrator's application", key: await connectOwnApp(server, administrator, "account"), code: "INSUFFICIENT_SCOPE" },
    { who: "an administrator's unproved session", key: await startSession(server, administrator, { isUnproved }), code: "PROOF_REQUIRED" },
  ];
}

/** Makes credentials that have ended, and secrets that are not credentials. */
export async function makeInvalidCallers(world: OwnerFixture): Promise<readonly Caller[]> {
  const { server, owner } = world;
  const disabled = await addAccount(server);
  const disabledSession = await startSession(server, disabled);
  await withDatabase(server, (db) => db.updateTable("users").set({ disabled_at: 1 }).where("id", "=", disabled.userId).execute());
  const revoked = await createKey(server, owner.key);
  await clientOf(server, owner).call("revokeKey", { id: revoked.id });
  const ended = await startSession(server, owner);
  await clientOf(server, { key: ended }).call("signOut", {});
  const app = await registerApp(server);
  const ofMcp = await connectApp(server, app, await startSession(server, owner));
  const request = await makeRequest(world);
  const shipment = await makeFile(world, { openShare: "true" });
  const anonymous = await makeAnonymousFile(world);
  const secrets: Readonly<Record<string, string | undefined>> = {
    requestToken: request.requestToken,
    claimToken: anonymous.claimToken,
    deletionToken: (await makeSubmission(world)).deletionToken,
    shareToken: "shareToken" in shipment ? String(shipment.shareToken) : undefined,
    delegationToken: (await makeDelegation(world)).delegationToken,
    jobId: (await startImport(world)).jobId,
  };
  return [
    { who: "an unknown key", key: `bc_${"0".repeat(8)}_${"0".repeat(43)}` },
    { who: "an unknown session", key: `${SESSION_PREFIX}${"0".repeat(43)}` },
    { who: "a disabled user's key", key: disabled.key },
    { who: "a disabled user's session", key: disabledSession },
    { who: "the owner's revoked key", key: revoked.key },
    { who: "the owner's session that was signed out", key: ended },
    { who: "the owner's application, with its token for MCP", key: ofMcp.access_token },
    { who: "the owner's application, with its refresh token", key: ofMcp.refresh_token },
    { who: "an unknown application", key: `${ACCESS_TOKEN_PREFIX}${"0".repeat(43)}` },
    ...Object.entries(secrets).map(([name, key = ""]) => ({ who: `a ${name} in place of a key`, key })),
  ];
}
