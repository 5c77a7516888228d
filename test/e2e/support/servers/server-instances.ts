import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Db } from "../../../../src/db/database.ts";
import { openDatabase } from "../../../../src/db/open.ts";
import { startServer, type TestServer } from "../../../support/server.ts";
import { type LibsqlServer, startLibsqlServer } from "../../../support/services/libsql-server.ts";
import { s3Settings, type TestSwift } from "../../../support/services/swift.ts";

export interface ServerInstances extends AsyncDisposable {
  readonly all: readonly TestServer[];
  /** Returns the instance at `index`, modulo their number. */
  instance(index: number): TestServer;
  /** Rewrites a URL of one instance to another instance. */
  at(index: number, url: string): string;
  /** Runs `work` on the shared database. */
  withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

export interface ServerInstancesOptions {
  readonly count: number;
  /** The database. `server` is the libSQL substitute of test/support; `file` is one file that all instances open. */
  readonly database?: "server" | "file";
  /** The store: a new bucket of this Swift, or folders to which the data folders of all instances link. */
  readonly swift?: TestSwift;
  readonly env?: Readonly<Record<string, string>>;
}

/** Makes a data folder that shares the folders of its bytes with others. */
async function makeData(folder: string, name: string): Promise<string> {
  const data = join(folder, name);
  await mkdir(data);
  for (const part of ["blobs", "staging", "quarantine"]) {
    await mkdir(join(folder, part), { recursive: true, mode: 0o700 });
    await symlink(join(folder, part), join(data, part));
  }
  return data;
}

/**
 * Starts several servers with one database, secret, public URL and store, as behind a proxy. With folders, tests must not write one part at two
 * instances or write during complete, because the disk store excludes such writes only within one process.
 */
export async function startServerInstances({
  count,
  database = "server",
  swift,
  env = {},
}: ServerInstancesOptions): Promise<ServerInstances> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-instances-"));
  const server: LibsqlServer | undefined = database === "server" ? await startLibsqlServer() : undefined;
  const url = server?.url ?? `file:${join(folder, "shared.db")}`;
  const shared = {
    FILEHOST_DB_URL: url,
    ...(server && { FILEHOST_DB_TOKEN: server.token }),
    FILEHOST_SECRET: "the same secret on all of the instances",
    FILEHOST_URL: "http://files.test",
    ...(swift && {
      FILEHOST_STORAGE: "s3",
      ...s3Settings(swift, await swift.createBucket()),
    }),
    ...env,
  };
  const start = async (index: number): Promise<TestServer> =>
    await startServer({ env: { ...shared, ...(!swift && { FILEHOST_DATA: await makeData(folder, `${index}`) }) } });
  // The first instance makes the schema, which on a busy machine can take longer than the others would wait for the database.
  const first = await start(0);
  const all = [first, ...(await Promise.all(Array.from({ length: count - 1 }, (_, index) => start(index + 1))))];
  const instance = (index: number): TestServer => {
    const found = all[index % all.length];
    if (!found) throw new Error("no instances");
    return found;
  };
  return {
    all,
    instance,
    at(index, address) {
      const { pathname, search } = new URL(address);
      return instance(index).url + pathname + search;
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
