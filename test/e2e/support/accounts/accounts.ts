import { newUuid } from "../../../../src/lib/secrets/ids.ts";
import { newApiKey } from "../../../../src/service/accounts/api-key.ts";
import type { Output } from "../../../../src/service/contract.ts";
import type { TestServer } from "../../../support/server.ts";
import { clientOf, type InputOf } from "../api/api.ts";
import { withDatabase } from "../servers/state.ts";

export interface AccountOptions {
  readonly username?: string;
  readonly tier?: "free" | "pro";
  readonly scope?: "files_read" | "files_write" | "full";
  /** Whether the account is an administrator, with a key that may administer. */
  readonly isAdministrator?: boolean;
}

export interface Account {
  readonly userId: string;
  readonly key: string;
}

const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));

/** Creates an account with one key in the database of a running server. */
export async function addAccount(
  server: { readonly dataDir: string },
  { username, tier = "free", scope = "full", isAdministrator = false }: AccountOptions = {},
): Promise<Account> {
  const nowMs = Date.now();
  const userId = newUuid(random, nowMs);
  const { key, prefix, salt, hash } = newApiKey(random);
  await withDatabase(server, async (db) => {
    const times = { created_at: nowMs, updated_at: nowMs };
    await db
      .insertInto("users")
      .values({
        id: userId,
        name: "A person",
        email: `${userId}@example.org`,
        email_verified: 1,
        username,
        tier,
        role: isAdministrator ? "admin" : "user",
        ...times,
      })
      .execute();
    const row = {
      id: newUuid(random, nowMs),
      owner_id: userId,
      prefix,
      salt,
      hash,
      scope,
      is_admin_key: isAdministrator ? 1 : 0,
      created_at: nowMs,
    };
    await db.insertInto("api_keys").values(row).execute();
  });
  return { userId, key };
}

/** A server with named accounts: the key of `owner` is `server.owner.key`. */
export type ServerWith<Name extends string> = TestServer & Readonly<Record<Name, Account>>;

/** Awaits a starting server and creates accounts on it. */
export async function withAccounts<Server extends TestServer, Name extends string>(
  starting: Promise<Server>,
  options: Readonly<Record<Name, AccountOptions>>,
): Promise<Server & ServerWith<Name>> {
  const server = await starting;
  const accounts: Partial<Record<Name, Account>> = {};
  for (const name in options) accounts[name] = await addAccount(server, options[name]);
  return Object.assign(server, accounts as Record<Name, Account>);
}

type Server = { readonly url: string };

/** Reads the account of a key. */
export const getMe = async (server: Server, key: string): Promise<Output<"getMe">> =>
  (await clientOf(server, { key }).call("getMe", {})).data;

/** Creates another key of the account of `key`. */
export async function createKey(server: Server, key: string, input: InputOf<"createKey"> = {}): Promise<Output<"createKey">> {
  return (await clientOf(server, { key }).call("createKey", input)).data;
}
