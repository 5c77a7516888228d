import assert from "node:assert/strict";
import { chmod, chown, cp, mkdir, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import Libsql from "libsql";
import { initialSchema } from "../../../src/db/migrations/0001-initial-schema.ts";
import { REPLACED_MIGRATIONS } from "../../../src/db/migrations/replaced-migrations.ts";
import { execute, type Outcome } from "../../cli/support.ts";
import { makeFolder, type TestFolder } from "../../support/folder.ts";
import { longSkipped } from "../../support/long.ts";
import { fillDisk, mountDisk, unmountDisk, whyNoDisk } from "../../support/machine/small-disk.ts";
import { startServer } from "../../support/server.ts";

/** A user who owns nothing. */
const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const notRoot = isRoot ? undefined : "only root can change owners and mount file systems";
const noDisk = notRoot ?? (await whyNoDisk());

/** In the output or in a line of the log. */
const STACK = /^\s+at |"stack":|SuppressedError|panicked|unexpectedly/m;

const COMMANDS = ["serve", "files list", "users list", "cleanup", "doctor"] as const;
type Command = (typeof COMMANDS)[number];

/** The commands that are tried in the state at `index`: the server and one other by turns, and all in `./scripts/test --long`. */
const commandsOf = (index: number): readonly Command[] =>
  longSkipped === undefined
    ? COMMANDS
    : COMMANDS.filter((_, position) => position === 0 || position === 1 + (index % (COMMANDS.length - 1)));

interface State {
  readonly name: string;
  readonly skip?: string | undefined;
  /** Puts the data folder at `data`, a copy of a working one, in the state. Returns what undoes what disposing of the folder does not. */
  readonly arrange: (data: string) => Promise<void | (() => Promise<void>)>;
  readonly env?: (data: string) => Readonly<Record<string, string>>;
  /** Words before the command line. */
  readonly wrapper?: readonly string[];
  /** What the sentence says. A command that is not named works. */
  readonly says: Readonly<Partial<Record<Command, RegExp>>>;
}

const all = (says: RegExp): State["says"] => ({ serve: says, "files list": says, "users list": says, cleanup: says });
async function changeDatabase(data: string, sql: string): Promise<void> {
  const database = new Libsql(join(data, "filehost.db"));
  database.exec(sql);
  database.close();
}

const asNobody = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
const withLimit = (option: string): readonly string[] => ["sh", "-c", `ulimit ${option}; exec "$0" "$@"`];

const STATES: readonly State[] = [
  {
    name: "a database of zero bytes",
    arrange: async (data) => void (await replaceDatabase(data, "")),
    says: {},
  },
  {
    name: "a database of other bytes",
    arrange: async (data) => void (await replaceDatabase(data, "x".repeat(100_000))),
    says: all(/filehost\.db is not a database\. Move it away/),
  },
  {
    name: "a database that is a folder",
    async arrange(data) {
      await removeDatabase(data);
      await mkdir(join(data, "filehost.db"));
    },
    says: all(/filehost\.db is not a file\. Move it away/),
  },
  {
    name: "a database that was cut",
    arrange: async (data) => void (await truncate(join(data, "filehost.db"), 9000)),
    says: all(/filehost\.db is damaged\. Move it away/),
  },
  ...["CREATE TABLE notes (id)", "CREATE TABLE migrations (version)", "CREATE TABLE users (id)"].map(
    (sql): State => ({
      name: `a database of another program: ${sql}`,
      async arrange(data) {
        await removeDatabase(data);
        const database = new Libsql(join(data, "filehost.db"));
        database.exec(sql);
        database.close();
      },
      says: all(/tables of another program\. Set FILEHOST_DATA/),
    }),
  ),
  {
    name: "a database of a newer version",
    async arrange(data) {
      const database = new Libsql(join(data, "filehost.db"));
      database.exec("INSERT INTO migrations (name, applied_at) VALUES ('9999-later', 1)");
      database.close();
    },
    says: all(/has the migration 9999-later.*Start the newer version/),
  },
  {
    name: "a database of all replaced migrations",
    arrange: (data) => nameMigrations(data, REPLACED_MIGRATIONS),
    says: {},
  },
  {
    name: "a database of some replaced migrations",
    arrange: (data) => nameMigrations(data, REPLACED_MIGRATIONS.slice(0, -1)),
    says: all(/does not upgrade.*Start commit 87371cde/),
  },
  {
    name: "a secret that is too short",
    arrange: (data) => writeFile(join(data, "secret"), "short"),
    says: all(/secret has no secret of at least/),
  },
  {
    name: "a secret that is no text",
    arrange: (data) => writeFile(join(data, "secret"), new Uint8Array(64).fill(0xfe)),
    says: all(/secret is damaged.*Restore it from a backup/),
  },
  {
    name: "a secret that is a folder",
    async arrange(data) {
      await rm(join(data, "secret"));
      await mkdir(join(data, "secret"));
    },
    says: all(/secret is not a file\. Restore it/),
  },
  {
    name: "a data folder that is a file",
    async arrange(data) {
      await rm(data, { recursive: true });
      await writeFile(data, "");
    },
    says: { ...all(/No filehost database was found/), serve: /data folder .* cannot be used: a file has that name/ },
  },
  {
    name: "a data folder that links to itself",
    async arrange(data) {
      await rm(data, { recursive: true });
      await symlink(data, data);
    },
    says: { ...all(/symbolic links lead in a circle/), serve: /data folder .* cannot be used/ },
  },
  {
    name: "a folder of blobs that is a file",
    async arrange(data) {
      await rm(join(data, "blobs"), { recursive: true });
      await writeFile(join(data, "blobs"), "");
    },
    says: all(/folder .*blobs of stored files cannot be used: a file has that name/),
  },
  {
    name: "a data folder of another user",
    skip: notRoot,
    arrange: async (data) => void (await chmod(data, 0o700)),
    wrapper: asNobody,
    says: all(/cannot be (used|opened): permission denied/),
  },
  {
    name: "a database of another user",
    skip: notRoot,
    async arrange(data) {
      await giveToNobody(data);
      await chown(join(data, "filehost.db"), 0, 0);
      await chmod(join(data, "filehost.db"), 0o600);
    },
    wrapper: asNobody,
    says: all(/filehost\.db cannot be opened: permission denied .*filehost\.db\. Run the command as the user/),
  },
  {
    name: "a secret of another user",
    skip: notRoot,
    async arrange(data) {
      await giveToNobody(data);
      await chown(join(data, "secret"), 0, 0);
    },
    wrapper: asNobody,
    says: all(/secret cannot be used: permission denied/),
  },
  ...["staging", "blobs", "quarantine"].map(
    (name): State => ({
      name: `a folder of stored files of another user: ${name}`,
      skip: notRoot,
      async arrange(data) {
        await giveToNobody(data);
        await chown(join(data, name), 0, 0);
        await chmod(join(data, name), 0o700);
      },
      wrapper: asNobody,
      says: {
        ...all(new RegExp(`The folder .*${name} of stored files cannot be used: permission denied`)),
        doctor: new RegExp(`${name} cannot be used: .*chown -R`, "s"),
      },
    }),
  ),
  {
    name: "a read-only file system",
    skip: noDisk,
    async arrange(data) {
      return await onDisk(data, 32, { isReadOnly: true });
    },
    says: all(/filehost\.db cannot be written: .* read-only file system/),
  },
  {
    name: "a database with files and no secret",
    async arrange(data) {
      await changeDatabase(data, "INSERT INTO shares (short_id, kind, name, created_at) VALUES ('4kTqW9xZ', 'file', 'a', 0)");
      await rm(join(data, "secret"));
    },
    says: all(/The secret .*secret is missing, .*Restore it from a backup.* secrets adopt/),
  },
  {
    name: "another secret",
    arrange: (data) => writeFile(join(data, "secret"), "f".repeat(64)),
    says: {
      ...all(/secret is not the secret with which this database was used\. Restore that file.*filehost secrets adopt/),
      doctor: /secret is not the secret with which this database was used/,
    },
  },
  {
    name: "another secret in a setting",
    arrange: async () => {},
    env: () => ({ FILEHOST_SECRET: "e".repeat(64) }),
    says: {
      ...all(/FILEHOST_SECRET is not the secret with which this database was used\. Set it to the former value/),
      doctor: /FILEHOST_SECRET is not the secret/,
    },
  },
  {
    name: "a database that lacks a table",
    async arrange(data) {
      await changeDatabase(data, "DROP TABLE folder_totals");
    },
    says: all(/The database is damaged: it has no table folder_totals\. Restore it/),
  },
  {
    name: "a new data folder on a full disk",
    skip: noDisk,
    async arrange(data) {
      await rm(data, { recursive: true });
      await mkdir(data);
      return await onDisk(data, 4, { isFull: true });
    },
    says: all(/the disk is full\. Free (some )?space/),
  },
  ...(["noexec", "full"] as const).map(
    (kind): State => ({
      name: `a folder of temporary files that is ${kind}`,
      skip: noDisk,
      async arrange(data) {
        const temporary = `${data}-temporary`;
        await mkdir(temporary);
        return await onDisk(temporary, 32, { isFull: kind === "full", options: kind === "noexec" ? ",noexec" : "" });
      },
      env: (data) => ({ TMPDIR: `${data}-temporary` }),
      says: {},
    }),
  ),
  { name: "a folder of temporary files that is missing", arrange: async () => {}, env: () => ({ TMPDIR: "/missing" }), says: {} },
  { name: "no environment", arrange: async () => {}, wrapper: ["env", "-u", "HOME", "-u", "PATH", "-u", "TMPDIR"], says: {} },
  { name: "a few open files", arrange: async () => {}, wrapper: withLimit("-n 12"), says: all(/may open only 12 files.*Raise the limit/) },
  {
    name: "a limit of file sizes",
    arrange: async () => {},
    wrapper: withLimit("-f 0"),
    says: all(/filehost\.db cannot be .*\. .*(disk|space)/),
  },
  {
    name: "a setting's file that is missing",
    arrange: async () => {},
    env: () => ({ FILEHOST_SECRET_FILE: "/missing" }),
    says: { ...all(/FILEHOST_SECRET_FILE: cannot read \/missing/), doctor: /cannot read \/missing/ },
  },
  ...["file::memory:", "file://host/x", "ftp://x"].map(
    (url): State => ({
      name: `the database URL ${url}`,
      arrange: async () => {},
      env: () => ({ FILEHOST_DB_URL: url }),
      says: { ...all(/FILEHOST_DB_URL: .*[Ww]rite file:\/path/), doctor: /FILEHOST_DB_URL|file:\/path/ },
    }),
  ),
];

/** command line, "States of an installation" and "Temporary files". */
describe("no state of folder, file, environment or disk ends in a stack trace", () => {
  let working: TestFolder;
  before(async () => {
    working = await makeFolder();
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
    await server.stop();
    await cp(server.dataDir, join(working.path, "data"), { recursive: true });
  });
  after(() => working[Symbol.asyncDispose]());

  for (const [index, { name, skip, arrange, env, wrapper, says }] of STATES.entries()) {
    test(name, { ...(skip === undefined ? {} : { skip }) }, async () => {
      await using folder = await makeFolder();
      await chmod(folder.path, 0o755);
      const data = join(folder.path, "data");
      await cp(join(working.path, "data"), data, { recursive: true });
      const undo = await arrange(data);
      try {
        for (const command of commandsOf(index)) {
          const outcome = await runUntilItStarts(command, { data, wrapper, env: env?.(data) ?? {}, cwd: folder.path });
          const output = outcome.stdout + outcome.stderr;
          assert.doesNotMatch(output, STACK, `${command}: ${output}`);
          const expected = says[command];
          if (expected) {
            assert.match(output, expected, command);
            assert.ok(outcome.code !== null && [1, 2, 3, 4, 5, 8].includes(outcome.code), `${command}: ${outcome.code}`);
            const lines = outcome.stderr.split("\n").filter((line) => line !== "" && !line.startsWith('{"level"'));
            assert.ok(command === "doctor" || lines.length <= 2, `${command}: ${output}`);
          } else if (command !== "doctor") assert.equal(outcome.code, 0, `${command}: ${output}`);
        }
      } finally {
        await undo?.();
      }
    });
  }

  test("an output that nobody reads or that is full, no input, and a data folder at the root", async () => {
    await using folder = await makeFolder();
    const serve = ["serve", "--listen", "127.0.0.1:0", "--data", join(folder.path, "data")];
    const env = { FILEHOST_LOG: "info:json", FILEHOST_SCANNER: "off" };
    for (const redirections of [">&- 2>&3", ">/dev/full 2>&3", "<&- 2>&1"]) {
      const wrapper = ["sh", "-c", `exec "$0" "$@" 3>&1 ${redirections} 3>&-`];
      const { code, stdout } = await execute(serve, { cwd: folder.path, env, wrapper, until: /"msg":"listening"/ });
      assert.match(stdout, /"msg":"listening"[\s\S]*"msg":"shutting down/, redirections);
      assert.doesNotMatch(stdout, STACK, redirections);
      assert.ok(code === 0 || code === 143, `${redirections}: ${code}`);
    }
    const { stderr } = await execute(["users", "list", "--data", "/"], { cwd: folder.path });
    assert.match(stderr, /No filehost database was found at \/filehost\.db/);
  });

  test("a port in use, a forbidden port, and an invalid address", async () => {
    await using folder = await makeFolder();
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    for (const [listen, expected] of [
      [`127.0.0.1:${port}`, /another program already listens there/],
      ["192.0.2.1:8080", /does not have that address/],
      ["host.invalid:8080", /Cannot listen on host\.invalid:8080: .*[Ww]rite an IP address|does not have that address/],
      ["127.0.0.1:99999", /write an address and a port/],
      ["[]:8080", /write an address and a port/],
    ] as const) {
      const outcome = await execute(["serve", "--listen", listen, "--data", join(folder.path, "data")], { cwd: folder.path });
      assert.match(outcome.stderr, expected, listen);
      assert.doesNotMatch(outcome.stderr, STACK);
    }
    taken.close();
  });
});

/** Runs a command to its end; a server, until it listens or ends. */
async function runUntilItStarts(
  command: Command,
  {
    data,
    wrapper = [],
    env,
    cwd,
  }: { data: string; wrapper?: readonly string[] | undefined; env: Readonly<Record<string, string>>; cwd: string },
): Promise<Outcome> {
  const words = [...command.split(" "), ...(command === "serve" ? ["--listen", "127.0.0.1:0"] : []), "--data", data];
  const common = { FILEHOST_LOG: "info:json", FILEHOST_SCANNER: "off", ...env };
  return await execute(words, { cwd, env: common, wrapper, ...(command === "serve" ? { until: /^http:/m } : {}) });
}

/** Gives a database the tables, columns, indexes and triggers of the initial schema, and records that migrations with these names made it. */
async function nameMigrations(data: string, names: readonly string[]): Promise<void> {
  const database = new Libsql(join(data, "filehost.db"));
  const initial = new Libsql(":memory:");
  for (const statement of initialSchema.statements) initial.exec(statement);
  for (const { type, name } of listIndexesAndTriggers(database)) database.exec(`DROP ${type} ${name}`);
  database.exec("PRAGMA foreign_keys = OFF");
  const initialTables = new Set(listTables(initial));
  for (const table of listTables(database).filter((table) => !initialTables.has(table))) database.exec(`DROP TABLE ${table}`);
  const wanted = new Set(listColumns(initial));
  for (const column of listColumns(database).filter((column) => !wanted.has(column))) {
    const [table, name] = column.split(".");
    database.exec(`ALTER TABLE ${table} DROP COLUMN ${name}`);
  }
  for (const { sql } of listIndexesAndTriggers(initial)) database.exec(sql);
  initial.close();
  database.exec("DELETE FROM migrations");
  for (const name of names) database.exec(`INSERT INTO migrations (name, applied_at) VALUES ('${name}', 1)`);
  database.close();
}

interface SchemaObject {
  readonly type: "index" | "trigger";
  readonly name: string;
  readonly sql: string;
}

/** Lists the indexes and triggers that statements created, without those of constraints. */
const listIndexesAndTriggers = (database: Libsql.Database): readonly SchemaObject[] =>
  database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL")
    .all() as SchemaObject[];

/** Each column of a database, as `table.column`. */
const listTables = (database: Libsql.Database): readonly string[] =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migrations' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[];

const listColumns = (database: Libsql.Database): readonly string[] =>
  database
    .prepare(
      "SELECT tables.name || '.' || columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table' AND tables.name <> 'migrations'",
    )
    .pluck()
    .all() as string[];

async function removeDatabase(data: string): Promise<void> {
  for (const end of ["", "-wal", "-shm"]) await rm(join(data, `filehost.db${end}`), { force: true });
}

async function replaceDatabase(data: string, content: string): Promise<void> {
  await removeDatabase(data);
  await writeFile(join(data, "filehost.db"), content);
}

async function giveToNobody(data: string): Promise<void> {
  await chown(data, NOBODY, NOBODY);
  for (const entry of await readdir(data, { recursive: true })) await chown(join(data, entry), NOBODY, NOBODY);
}

/** Moves the content of a folder to a file system of its own, mounted there. Returns what undoes it. */
async function onDisk(
  folder: string,
  sizeMb: number,
  { isFull = false, isReadOnly = false, options = "" }: { isFull?: boolean; isReadOnly?: boolean; options?: string },
): Promise<() => Promise<void>> {
  await using saved = await makeFolder();
  await cp(folder, join(saved.path, "data"), { recursive: true });
  await mountDisk(sizeMb * 1024 ** 2, { at: folder, options });
  await cp(join(saved.path, "data"), folder, { recursive: true });
  if (isFull) await fillDisk(folder);
  if (isReadOnly) await mountDisk(0, { at: folder, options: ",remount,ro" });
  return () => unmountDisk(folder);
}
