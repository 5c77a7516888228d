import type { TestServer } from "../../../support/server.ts";
import type { ServerWith } from "../accounts/accounts.ts";
import { startPlainServer } from "../servers/plain-server.ts";
import { withDatabase } from "../servers/state.ts";
import { type ApiResponse, type Body, type CallOptions, call } from "./api.ts";

export type Table = "files" | "folders" | "api_keys" | "upload_delegations" | "webhook_endpoints" | "imports" | "upload_sessions";
export type Data = Body & { readonly data: Readonly<Record<string, unknown>> };

/** Starts a server that allows every write, for clients of any address. */
export const startRepeatServer = (): Promise<TestServer> =>
  startPlainServer({
    FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
    FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
    FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
  });

/** Makes an unused `Idempotency-Key`. */
export const newKey = (): string => `idempotency-${crypto.randomUUID()}`;

/**
 * Makes calls with an `Idempotency-Key`, and counts rows to check their effect. `getServer` is called each time, because suites start their server in
 * a hook.
 */
export function repeatCalls(getServer: () => ServerWith<"owner">) {
  return {
    send: (method: string, path: string, key: string, options: CallOptions = {}): Promise<ApiResponse<Data>> =>
      call<Data>(getServer(), method, path, {
        key: getServer().owner.key,
        ...options,
        headers: { "Idempotency-Key": key, ...options.headers },
      }),
    /** Counts the rows of a table. */
    rows: (table: Table): Promise<number> =>
      withDatabase(getServer(), async (db) => {
        const { count } = await db
          .selectFrom(table)
          .select((select) => select.fn.countAll<number>().as("count"))
          .executeTakeFirstOrThrow();
        return count;
      }),
  };
}
