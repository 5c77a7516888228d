import type { TestServer } from "../../support/server.ts";
import type { ServerWith } from "./accounts.ts";
import { type Answer, type Body, type CallOptions, call } from "./api.ts";
import { startPlainServer } from "./plain.ts";
import { withDatabase } from "./state.ts";

export type Table = "files" | "folders" | "api_keys" | "delegations" | "webhook_endpoints" | "imports" | "upload_sessions";
export type Data = Body & { readonly data: Readonly<Record<string, unknown>> };

/** A server on which every write can be made, by callers of any address. */
export const startRepeatServer = (): Promise<TestServer> =>
  startPlainServer({
    FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
    FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8",
    FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8",
  });

/** An `Idempotency-Key` that nobody has used. */
export const newKey = (): string => `idempotency-${crypto.randomUUID()}`;

/** Writes with an `Idempotency-Key`, and what they leave; `made` is asked with each call, since servers begin in a hook. */
export function repeatCalls(made: () => ServerWith<"owner">) {
  return {
    send: (method: string, path: string, key: string, options: CallOptions = {}): Promise<Answer<Data>> =>
      call<Data>(made(), method, path, {
        key: made().owner.key,
        ...options,
        headers: { "Idempotency-Key": key, ...options.headers },
      }),
    /** How many rows a table has. */
    rows: (table: Table): Promise<number> =>
      withDatabase(made(), async (db) => {
        const { count } = await db
          .selectFrom(table)
          .select((select) => select.fn.countAll<number>().as("count"))
          .executeTakeFirstOrThrow();
        return count;
      }),
  };
}
