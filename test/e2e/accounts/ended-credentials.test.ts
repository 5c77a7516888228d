import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ContractClient } from "../../../src/service/client.ts";
import { createAuthenticator } from "../../support/browser/authenticator.ts";
import { sampled } from "../../support/long.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { type Account, addAccount, createKey } from "../support/accounts/accounts.ts";
import { codeOf } from "../support/accounts/two-step.ts";
import { clientOf } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { sendHeld } from "../support/api/raw-http.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { changedRows, readRows } from "../support/servers/rows.ts";
import { withDatabase } from "../support/servers/state.ts";

const PASSWORD = "correct horse battery";
const NEW_PASSWORD = "another horse battery";
const FORM = { "Content-Type": "application/x-www-form-urlencoded", Accept: "text/html" };
const JSON_BODY = { "Content-Type": "application/json" };
const HOOK = "https://hooks.example.org/filehost";

/** A request of the API with this input, or that of a page with a form. */
interface Beginning {
  readonly method?: "PATCH";
  readonly path: string;
  readonly input?: object;
  readonly form?: Readonly<Record<string, string>>;
}

type Begin = (client: ContractClient, account: Account, origin: string) => Promise<Beginning>;

const MADE_WITH_A_KEY: Readonly<Record<string, Begin>> = {
  "a key": async () => ({ path: "keys", input: { label: "lasting" } }),
  "a webhook": async () => ({ path: "webhooks", input: { url: HOOK, events: ["file.ready"] } }),
  "a request link": async () => ({ path: "requests", input: { title: "Photos" } }),
  "a delegation": async () => ({ path: "files/upload-delegations", input: { name: "a.txt", sizeBytes: 10 } }),
  "a username": async (_, { userId }) => ({ method: "PATCH", path: "me", input: { username: `u${userId.slice(-12)}` } }),
};

const MADE_WITH_AN_ADMIN_KEY: Readonly<Record<string, Begin>> = {
  "an administrator's invite": async () => ({ path: "admin/invites", input: { role: "admin" } }),
  "an account": async () => ({ path: "admin/users", input: { email: "new@example.org", name: "New", role: "admin" } }),
  "a setting": async () => ({ method: "PATCH", path: "admin/settings", input: { settings: { name: "Mine" } } }),
  "a blocked digest": async () => ({ path: "admin/blocklist", input: { digests: ["b".repeat(64)] } }),
};

const MADE_WITH_A_SESSION: Readonly<Record<string, Begin>> = {
  "a key": async () => ({ path: "keys", input: { label: "lasting" } }),
  "a key on a page": async () => ({ path: "/settings/keys", form: { action: "create", label: "lasting", scope: "full" } }),
  "a key's new secret on a page": async (client) => {
    const { id } = (await client.call("createKey", {})).data;
    return { path: "/settings/keys", form: { action: "rotate", id } };
  },
  "a passkey": async (client, _, origin) => {
    const { options } = (await client.call("startPasskey", {})).data;
    return { path: "auth/passkeys", input: { credential: createAuthenticator({ origin }).make(options) } };
  },
  "a second factor": async (client) => {
    const { secret } = (await client.call("startTotp", {})).data;
    return { path: "auth/totp/confirm", input: { code: codeOf(secret) } };
  },
  "recovery codes on a page": async (client) => {
    const { secret } = (await client.call("startTotp", {})).data;
    await client.call("confirmTotp", { code: codeOf(secret) });
    return { path: "/settings/security/two-step", form: { action: "codes" } };
  },
};

/** How a credential ends. `elsewhere` is another session of the account. */
type End = (elsewhere: ContractClient, credential: { readonly id: string; readonly userId: string }) => Promise<unknown>;

/** accounts, "Authentication". */
describe("a request whose key or session ends while its body arrives", () => {
  let server: TestServer;
  let administrator: Account;
  let people = 0;
  before(async () => {
    server = await startPlainServer({ FILEHOST_LIMITS: JSON.stringify({ rates: { signUps: 1000 } }) });
    administrator = await addAccount(server, { isAdministrator: true });
  });
  after(() => server[Symbol.asyncDispose]());

  const disable: End = (_, { userId }) => clientOf(server, administrator).call("changeUser", { id: userId, isDisabled: true });
  const KEY_ENDS: Readonly<Record<string, End>> = {
    "is revoked": (elsewhere, { id }) => elsewhere.call("revokeKey", { id }),
    "is rotated": (elsewhere, { id }) => elsewhere.call("rotateKey", { id }),
    "is of an account that is disabled": disable,
  };
  const ADMIN_KEY_ENDS: Readonly<Record<string, End>> = {
    "is revoked": (_, { id }) => clientOf(server, administrator).call("revokeUserKey", { id }),
  };
  const SESSION_ENDS: Readonly<Record<string, End>> = {
    "is ended": (elsewhere) => elsewhere.call("revokeOtherSessions", {}),
    "ends with a new password": (elsewhere) => elsewhere.call("changePassword", { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
    "is of an account that is disabled": disable,
  };

  interface Credential extends Account {
    readonly id: string;
  }

  async function addKey(): Promise<Credential> {
    const account = await addAccount(server);
    return { ...account, ...(await createKey(server, account.key)) };
  }

  async function addAdminKey(): Promise<Credential> {
    const account = await addAccount(server, { isAdministrator: true });
    const [row] = await withDatabase(server, (db) =>
      db.selectFrom("api_keys").select("id").where("owner_id", "=", account.userId).execute(),
    );
    return { ...account, id: row?.id ?? "" };
  }

  async function addSession(): Promise<Credential> {
    people += 1;
    const person = { email: `person${people}@example.org`, password: PASSWORD, name: "A person" };
    const { sessionToken, owner } = (await clientOf(server).call("signUp", person)).data;
    return { userId: owner.id, key: sessionToken, id: "" };
  }

  /** Sends a request with the credential, and its last byte after `act`. Resolves to its response, and to the rows that it changed. */
  async function sendAround(credential: Credential, begin: Begin, act: () => Promise<unknown>) {
    const origin = new URL(server.url).origin.replace("127.0.0.1", "localhost");
    const { method = "POST", path, input, form } = await begin(clientOf(server, credential), credential, origin);
    await withDatabase(server, async (db) => {
      await db.updateTable("sessions").set({ updated_at: 0 }).where("user_id", "=", credential.userId).execute();
      await db.updateTable("api_keys").set({ last_used_at: null }).where("owner_id", "=", credential.userId).execute();
    });
    const request = form
      ? { path, body: `${new URLSearchParams(form)}`, headers: { ...FORM, Origin: origin, Cookie: `session=${credential.key}` } }
      : { path: `/api/${path}`, body: JSON.stringify(input), headers: { ...JSON_BODY, Authorization: `Bearer ${credential.key}` } };
    let before = await readRows(server);
    const response = await sendHeld(server, { method, ...request }, async () => {
      await until("the caller is known", () => isKnown(credential));
      await act();
      before = await readRows(server);
    });
    // A challenge of a device is used up by any response to it.
    const changed = changedRows(before, await readRows(server)).filter((row) => !row.startsWith("passkey_challenges "));
    return { ...response, changed };
  }

  const isKnown = ({ userId }: Credential) =>
    withDatabase(server, async (db) => {
      const session = await db
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", userId)
        .where("updated_at", ">", 0)
        .executeTakeFirst();
      return (
        session ??
        (await db
          .selectFrom("api_keys")
          .select("id")
          .where("owner_id", "=", userId)
          .where("last_used_at", "is not", null)
          .executeTakeFirst())
      );
    });

  for (const { what, add, made, ends } of [
    { what: "key", add: addKey, made: MADE_WITH_A_KEY, ends: KEY_ENDS },
    { what: "key that may administer", add: addAdminKey, made: MADE_WITH_AN_ADMIN_KEY, ends: ADMIN_KEY_ENDS },
    { what: "session", add: addSession, made: MADE_WITH_A_SESSION, ends: SESSION_ENDS },
  ])
    for (const [position, [name, begin]] of Object.entries(made).entries()) {
      // Each with one end by turns, and with all in `./scripts/test --long`.
      for (const [how, end] of sampled(Object.entries(ends), Object.keys(ends).length, position))
        test(`creates no ${name} if its ${what} ${how}`, async () => {
          const credential = await add();
          const { status, text, changed } = await sendAround(credential, begin, async () =>
            end(clientOf(server, { key: await startSession(server, credential) }), credential),
          );
          // The challenge of a passkey ends with the session, before it.
          assert.ok(status === 401 || (name === "a passkey" && status === 403), text);
          assert.deepEqual(changed, []);
        });
      test(`creates ${name} with a ${what} that has not ended`, async () => {
        const { status, text, changed } = await sendAround(await add(), begin, async () => undefined);
        assert.ok(status === 200 || status === 201, text);
        assert.notEqual(changed.length, 0);
      });
    }
});
