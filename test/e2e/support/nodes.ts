import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Db } from "../../../src/db/database.ts";
import { openDatabase } from "../../../src/db/open.ts";
import { type LibsqlServer, startLibsqlServer } from "../../support/libsql-server.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { s3Settings, type TestSwift } from "../../support/swift.ts";

export interface Nodes extends AsyncDisposable {
  readonly all: readonly TestServer[];
  /** The n-th node, round and round. */
  node(index: number): TestServer;
  /** The same address as some node gave it, at another one. */
  at(index: number, url: string): string;
  /** Works on the database that they share. */
  withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

export interface NodesOptions {
  readonly count: number;
  /** `server`: a libSQL server, the substitute of test/support. `file`: one file that all open. */
  readonly database?: "server" | "file";
  /** Where bytes live: a new bucket there, or one folder of this machine. */
  readonly swift?: TestSwift;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Several servers as behind one proxy: one database, one secret, one public address, one store. A folder is safe as far as the tests go: the
 * disk store keeps two that write the same part, or write while it is completed, apart in one process only.
 */
export async function startNodes({ count, database = "server", swift, env = {} }: NodesOptions): Promise<Nodes> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-nodes-"));
  const server: LibsqlServer | undefined = database === "server" ? await startLibsqlServer() : undefined;
  const url = server?.url ?? `file:${join(folder, "shared.db")}`;
  const shared = {
    FILEHOST_DB_URL: url,
    ...(server && { FILEHOST_DB_TOKEN: server.token }),
    FILEHOST_SECRET: "the same secret on all of the nodes",
    FILEHOST_URL: "http://files.test",
    // With a bucket, each has a data folder of its own.
    ...(!swift && { FILEHOST_DATA: join(folder, "data") }),
    ...(swift && {
      FILEHOST_STORAGE: "s3",
      ...s3Settings(swift, await swift.createBucket()),
    }),
    ...env,
  };
  const all = await Promise.all(Array.from({ length: count }, () => startServer({ env: shared })));
  const node = (index: number): TestServer => {
    const found = all[index % all.length];
    if (!found) throw new Error("no nodes");
    return found;
  };
  return {
    all,
    node,
    at(index, address) {
      const { pathname, search } = new URL(address);
      return node(index).url + pathname + search;
    },
    async withDatabase(work) {
      await using opened = await openDatabase({ url, token: server?.token });
      return await work(opened.db);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
      await server?.[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
