import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, open, readdir, stat, symlink, truncate, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { makeFolder, type TestFolder } from "../../support/folder.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { startServer, type TestServer, toCommand } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { callTool, ERAS, type Era } from "../support/api/mcp.ts";
import { connectStdio, recordProgress, type StdioClient } from "../support/api/mcp-stdio.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

/** mcp, "Files of your machine". */
describe("files that filehost mcp uploads", () => {
  let server: TestServer;
  let proxy: FaultyProxy;
  let home: TestFolder;
  let key: string;
  before(async () => {
    server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
    proxy = await startFaultyProxy(server.url);
    home = await makeFolder();
    key = (await addAccount(server)).key;
  });
  after(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await home?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** A client that may use a folder of its own, `dir`. */
  async function connect(dir: string, era: Era = "a session"): Promise<StdioClient> {
    const env = { XDG_STATE_HOME: join(home.path, "state") };
    return await connectStdio(proxy, { era, key, args: ["--allow", dir], env });
  }

  async function makeFile(name: string, bytes: Uint8Array | string): Promise<string> {
    const path = join(home.path, name);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, bytes);
    return path;
  }

  const stored = async (): Promise<string[]> => await readdir(join(home.path, "state", "filehost", "uploads")).catch(() => []);

  for (const era of Object.keys(ERAS) as Era[])
    test(`sends a small and a large file, with progress, to a client with ${era}`, async () => {
      await using agent = await connect(home.path, era);
      const { tools } = await agent.client.listTools();
      const upload = tools.find(({ name }) => name === "service_upload");
      assert.ok(upload?.inputSchema.properties?.path);
      const small = await callTool(agent, "upload", { path: await makeFile("small.txt", "by its path"), title: "Notes" });
      assert.deepEqual([small.data.name, small.data.size, small.data.isAnonymous], ["small.txt", 11, false], small.text);
      assert.equal(await downloadDigest(server, String(small.data.id)), sha256("by its path"));
      const bytes = someBytes(9 * MB);
      const progress = recordProgress(agent);
      const path = await makeFile("large.bin", bytes);
      const large = await callTool(agent, "upload", { path, fileName: "named.bin" }, { onprogress: () => undefined });
      assert.equal(large.isError, false, large.text);
      assert.deepEqual([large.data.name, large.data.size], ["named.bin", bytes.length]);
      assert.equal(await downloadDigest(server, String(large.data.id)), sha256(bytes));
      assert.ok(progress.length >= 2);
      assert.deepEqual(
        progress,
        progress.toSorted((one, other) => one.progress - other.progress),
      );
      assert.deepEqual([progress.at(-1)?.progress, progress.at(-1)?.total], [bytes.length, bytes.length]);
      assert.deepEqual(await stored(), []);
    });

  test("sends an empty file", async () => {
    await using agent = await connect(home.path);
    const { data, text } = await callTool(agent, "upload", { path: await makeFile("empty.txt", "") });
    assert.equal(data.size, 0, text);
  });

  test("continues an upload whose process was killed, and sends only missing bytes", async () => {
    const bytes = someBytes(12 * MB, 3);
    const path = await makeFile("killed.bin", bytes);
    let puts = 0;
    let held = 0;
    proxy.decide = ({ method }) => {
      if (method !== "PUT") return undefined;
      puts += 1;
      if (puts <= 5) return undefined;
      held += 1;
      return { neverResponds: true };
    };
    await mkdir(join(home.path, "state", "filehost", "uploads"), { recursive: true });
    const unreadable = join(home.path, "state", "filehost", "uploads", "removed.json");
    await symlink("missing", unreadable);
    const agent = await connect(home.path);
    const broken = callTool(agent, "upload", { path, title: "Once" }).catch(() => "broken");
    await until("five parts are stored, and each of the three lines waits with another", () => held >= 3);
    process.kill(agent.pid, "SIGKILL");
    assert.equal(await broken, "broken");
    await unlink(unreadable);
    const [name = ""] = await stored();
    assert.equal((await stat(join(home.path, "state", "filehost", "uploads", name))).mode & 0o777, 0o600);
    puts = 0;
    proxy.decide = ({ method }) => void (method === "PUT" && puts++);
    await using next = await connect(home.path);
    const { data, text, isError } = await callTool(next, "upload", { path, title: "Once" });
    assert.equal(isError, false, text);
    assert.equal(puts, 7);
    assert.equal(await downloadDigest(server, String(data.id)), sha256(bytes));
    assert.deepEqual(await stored(), []);
    const another = await callTool(next, "upload", { path, title: "Once" });
    assert.notEqual(another.data.id, data.id, "a later call is another upload");
  });

  test("ends during an upload when its input closes, or with SIGTERM", async () => {
    const path = await makeFile("left.bin", someBytes(5 * MB, 9));
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "service_upload", arguments: { path } } };
    const [command = "", ...rest] = toCommand("binary");
    let held = 0;
    proxy.decide = ({ method }) => {
      if (method !== "PUT") return undefined;
      held += 1;
      return { neverResponds: true };
    };
    const ends = [(child: ChildProcess) => child.stdin?.end(), (child: ChildProcess) => child.kill("SIGTERM")];
    for (const end of ends) {
      held = 0;
      const env = { PATH: process.env.PATH, FILEHOST_KEY: key, XDG_STATE_HOME: join(home.path, "state") };
      const child = spawn(command, [...rest, "mcp", "--url", proxy.url, "--allow", home.path], {
        env,
        stdio: ["pipe", "ignore", "ignore"],
      });
      child.stdin?.write(`${JSON.stringify(message)}\n`);
      await until("a part is held", () => held > 0);
      end(child);
      assert.deepEqual(await once(child, "close"), [0, null]);
    }
    proxy.decide = () => undefined;
    await using agent = await connect(home.path);
    assert.equal((await callTool(agent, "upload", { path })).isError, false);
  });

  test("repeats the end of an upload whose process was killed before it got the response", async () => {
    const bytes = someBytes(5 * MB, 4);
    const path = await makeFile("ended.bin", bytes);
    const { promise: completed, resolve } = Promise.withResolvers<void>();
    const hold = async (): Promise<void> => {
      resolve();
      await new Promise(() => {});
    };
    proxy.decide = ({ url }) => (url.endsWith("/multipart/complete") ? { responseHeaders: {}, onResponse: hold } : undefined);
    const agent = await connect(home.path);
    const broken = callTool(agent, "upload", { path }).catch(() => "broken");
    await completed;
    process.kill(agent.pid, "SIGKILL");
    assert.equal(await broken, "broken");
    proxy.decide = () => undefined;
    await using next = await connect(home.path);
    const { data, text } = await callTool(next, "upload", { path });
    assert.equal(await downloadDigest(server, String(data.id)), sha256(bytes), text);
    const listed = await callTool(next, "list_files", { search: "ended.bin" });
    assert.equal(JSON.stringify(listed.data).split('"ended.bin"').length - 1, 1, "the file exists once");
  });

  test("sends the first part alone, so that a call on a slow connection makes progress", async () => {
    const bytes = someBytes(5 * MB, 12);
    const path = await makeFile("slow.bin", bytes);
    await using agent = await connect(home.path);
    const giveUp = new AbortController();
    let puts = 0;
    const before: number[] = [];
    proxy.decide = ({ method }) => {
      if (method !== "PUT") return undefined;
      puts += 1;
      if (puts === 1) return { responseHeaders: {}, onResponse: async () => void before.push(puts) };
      giveUp.abort();
      return { neverResponds: true };
    };
    await assert.rejects(callTool(agent, "upload", { path }, { signal: giveUp.signal }));
    assert.deepEqual(before, [1]);
    const parts = new Set<string>();
    proxy.decide = ({ method, url }) => void (method === "PUT" && parts.add(new URL(url, proxy.url).pathname));
    const { data, text } = await callTool(agent, "upload", { path });
    proxy.decide = () => undefined;
    assert.equal(await downloadDigest(server, String(data.id)), sha256(bytes), text);
    assert.equal(parts.size, 4, [...parts].join());
  });

  test("repeats requests whose connection breaks", async () => {
    const bytes = someBytes(6 * MB, 5);
    const faults = new Map([["PUT", { cutBodyAfterBytes: 100_000 }] as const, ["POST", { cutAfterBytes: 0 }] as const]);
    proxy.decide = ({ method }) => {
      const fault = faults.get(method as "PUT");
      faults.delete(method as "PUT");
      return fault;
    };
    await using agent = await connect(home.path);
    const { data, text } = await callTool(agent, "upload", { path: await makeFile("cut.bin", bytes) });
    assert.equal(await downloadDigest(server, String(data.id)), sha256(bytes), text);
    assert.equal(faults.size, 0);
    proxy.decide = () => undefined;
  });

  test("begins again when the server has removed the earlier upload, and refuses a file that shrinks", async () => {
    const path = await makeFile("removed.bin", someBytes(5 * MB, 6));
    let held = 0;
    proxy.decide = ({ method }) => {
      if (method !== "PUT") return undefined;
      held += 1;
      return { neverResponds: true };
    };
    const agent = await connect(home.path);
    const broken = callTool(agent, "upload", { path }).catch(() => "broken");
    await until("a part is held", () => held > 0);
    process.kill(agent.pid, "SIGKILL");
    await broken;
    const [name = ""] = await stored();
    const remembered = join(home.path, "state", "filehost", "uploads", name);
    await writeFile(remembered, JSON.stringify({ initKey: "0123456789abcdef", uploadId: "unknown" }));
    proxy.decide = () => undefined;
    await using next = await connect(home.path);
    assert.equal((await callTool(next, "upload", { path })).isError, false);
    const shrinking = await makeFile("shrinking.bin", someBytes(5 * MB, 7));
    proxy.decide = ({ url }) => {
      if (!url.endsWith("/multipart/init")) return undefined;
      return { responseHeaders: {}, onResponse: () => truncate(shrinking, MB) };
    };
    const refused = await callTool(next, "upload", { path: shrinking });
    assert.equal(refused.data.errorCode, "CONFLICT", refused.text);
    assert.match(refused.text, /changed while it was read/);
    proxy.decide = () => undefined;
  });

  test("repeats a call with the same idempotencyKey without storing the file twice", async () => {
    const remembered = await stored();
    await using agent = await connect(home.path);
    for (const [name, size] of [
      ["again-small.bin", 1000],
      ["again-large.bin", 5 * MB],
    ] as const) {
      const args = { path: await makeFile(name, someBytes(size, 8)), idempotencyKey: `key-of-${name}` };
      const first = await callTool(agent, "upload", args);
      const second = await callTool(agent, "upload", args);
      assert.equal(second.data.id, first.data.id, second.text);
      assert.equal(second.data.idempotent, true, second.text);
      await writeFile(args.path, someBytes(size, 9));
      const other = await callTool(agent, "upload", args);
      assert.equal(other.data.errorCode, "IDEMPOTENCY_KEY_REUSED", other.text);
    }
    assert.deepEqual(await stored(), remembered, "the key is all that a repetition needs");
  });

  test("publishes no mixture of a file that is written during its upload, also if its time is reset", async () => {
    await using agent = await connect(home.path);
    const changes: readonly ((path: string) => Promise<void>)[] = [
      async (path) => {
        const { atime, mtime } = await stat(path);
        await using file = await open(path, "r+");
        await file.write(Buffer.alloc(MB, "B"), 0, MB, 0);
        await utimes(path, atime, mtime);
      },
      async (path) => await appendFile(path, "more"),
    ];
    for (const [index, change] of changes.entries()) {
      const path = await makeFile(`changing-${index}.bin`, someBytes(6 * MB, 10));
      let puts = 0;
      proxy.decide = ({ method }) => {
        if (method !== "PUT" || ++puts !== 6) return undefined;
        return { responseHeaders: {}, onResponse: () => change(path) };
      };
      const refused = await callTool(agent, "upload", { path });
      proxy.decide = () => undefined;
      assert.equal(refused.data.errorCode, "CONFLICT", refused.text);
      assert.match(refused.text, /changed while it was read/);
    }
  });

  test("has one result for two processes that upload the same file", async () => {
    const bytes = someBytes(6 * MB, 11);
    const path = await makeFile("twice.bin", bytes);
    await using first = await connect(home.path);
    await using second = await connect(home.path);
    const held = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let puts = 0;
    const hold = async (): Promise<void> => {
      held.resolve();
      await released.promise;
    };
    proxy.decide = ({ method }) => {
      if (method !== "PUT") return undefined;
      puts += 1;
      return puts === 1 ? { cutAfterBytes: 0, onResponse: hold } : undefined;
    };
    const one = callTool(first, "upload", { path });
    await held.promise;
    const other = await callTool(second, "upload", { path });
    released.resolve();
    const { data, text } = await one;
    proxy.decide = () => undefined;
    assert.equal(data.id, other.data.id, text);
    assert.equal(await downloadDigest(server, String(data.id)), sha256(bytes));
  });

  test("reports refusals of the server", async () => {
    await using agent = await connect(home.path);
    const path = await makeFile("refused.txt", "refused");
    const invalid = await callTool(agent, "upload", { path, ttl: "soon" });
    assert.equal(invalid.data.errorCode, "VALIDATION_FAILED");
    const unknown = await callTool(agent, "upload", { path, shareShortId: "missing1" });
    assert.equal(unknown.data.errorCode, "NOT_FOUND", unknown.text);
  });

  test("reads nothing outside the allowed folders", async () => {
    await using dir = await makeFolder();
    const [allowed, outside, hidden] = [join(dir.path, "allowed"), join(dir.path, "outside"), join(dir.path, "allowed/.hidden")];
    for (const folder of [allowed, outside, hidden]) await mkdir(folder);
    await writeFile(join(outside, "secret.txt"), "secret");
    await writeFile(join(hidden, "secret.txt"), "secret");
    await writeFile(join(allowed, ".secret"), "secret");
    await writeFile(join(allowed, "fine.txt"), "fine");
    await writeFile(join(dir.path, "allowed-too.txt"), "secret");
    await symlink(join(outside, "secret.txt"), join(allowed, "link.txt"));
    await symlink(outside, join(allowed, "folder"));
    await symlink(join(allowed, "fine.txt"), join(allowed, "inside.txt"));
    await symlink(join(hidden, "secret.txt"), join(allowed, "to-hidden.txt"));
    await promisify(execFile)("mkfifo", [join(allowed, "pipe")]);
    await symlink("/dev/zero", join(allowed, "device"));
    await symlink(join(outside, "missing.txt"), join(allowed, "dangling"));
    await using agent = await connect(allowed);
    const cases: readonly (readonly [path: string, code: string, text: RegExp])[] = [
      [join(outside, "secret.txt"), "FORBIDDEN", /outside the folders/],
      [join(dir.path, "allowed-too.txt"), "FORBIDDEN", /outside the folders/],
      [join(outside, "missing.txt"), "FORBIDDEN", /outside the folders/],
      [`${allowed}/../outside/secret.txt`, "FORBIDDEN", /outside the folders/],
      ["/etc/passwd", "FORBIDDEN", /outside the folders/],
      ["/dev/zero", "FORBIDDEN", /outside the folders/],
      ["/proc/self/environ", "FORBIDDEN", /outside the folders/],
      [join(allowed, "device"), "FORBIDDEN", /outside the folders/],
      [join(allowed, "link.txt"), "FORBIDDEN", /outside the folders/],
      [join(allowed, "folder/secret.txt"), "FORBIDDEN", /outside the folders/],
      [join(allowed, ".secret"), "FORBIDDEN", /Hidden files/],
      [join(hidden, "secret.txt"), "FORBIDDEN", /Hidden files/],
      [join(allowed, "to-hidden.txt"), "FORBIDDEN", /Hidden files/],
      [join(allowed, "folder/missing.txt"), "FORBIDDEN", /outside the folders/],
      [join(allowed, "folder/missing/below.txt"), "FORBIDDEN", /outside the folders/],
      [join(allowed, "dangling"), "FORBIDDEN", /outside the folders/],
      [join(allowed, ".missing"), "FORBIDDEN", /Hidden files/],
      [join(hidden, "missing/below.txt"), "FORBIDDEN", /Hidden files/],
      [`${join(allowed, "fine.txt")}/`, "VALIDATION_FAILED", /slash at its end/],
      [join(allowed, "pipe"), "VALIDATION_FAILED", /not a regular file/],
      [allowed, "VALIDATION_FAILED", /is a folder/],
      [join(allowed, "missing.txt"), "NOT_FOUND", /nothing at this path/],
      [join(allowed, "fine.txt/below"), "NOT_FOUND", /nothing at this path/],
      ["fine.txt", "VALIDATION_FAILED", /absolute path/],
      [`${allowed}/fine.txt\0.png`, "VALIDATION_FAILED", /NUL/],
    ];
    for (const [path, code, expected] of cases) {
      const { isError, data, text } = await callTool(agent, "upload", { path });
      assert.deepEqual([isError, data.errorCode], [true, code], `${path}: ${text}`);
      assert.match(text, expected);
    }
    assert.equal((await callTool(agent, "upload", { path: join(allowed, "inside.txt") })).data.name, "inside.txt");
    await using named = await connect(hidden);
    assert.equal((await callTool(named, "upload", { path: join(hidden, "secret.txt") })).isError, false);
    const below = join(hidden, "project");
    await mkdir(join(below, ".git"), { recursive: true });
    await writeFile(join(below, ".git/config"), "secret");
    await using project = await connect(below);
    const config = await callTool(project, "upload", { path: join(below, ".git/config") });
    assert.equal(config.data.errorCode, "FORBIDDEN", config.text);
  });

  test("never sends the file of its own key", async () => {
    const keyFile = await makeFile("key.txt", key);
    await symlink(keyFile, join(home.path, "key-link.txt"));
    const args = ["--allow", home.path, "--key-file", keyFile];
    await using agent = await connectStdio(server, { era: "a session", args });
    for (const path of [keyFile, join(home.path, "key-link.txt")]) {
      const { data, text } = await callTool(agent, "upload", { path });
      assert.equal(data.errorCode, "FORBIDDEN", text);
    }
    assert.equal((await callTool(agent, "upload", { path: await makeFile("other.txt", "other") })).data.isAnonymous, false);
  });

  test("uses no file without --allow, and explains how to allow a folder", async () => {
    await using agent = await connectStdio(server, { era: "a session", key });
    const describe = async ({ client }: Pick<typeof agent, "client">): Promise<string> =>
      (await client.listTools()).tools.map(({ description }) => description).join("\n");
    assert.match(
      await describe(agent),
      /path works after its user has added --allow.*Use it for every file that exists on a machine with a shell/s,
    );
    await using allowed = await connect(home.path);
    assert.doesNotMatch(await describe(allowed), /added --allow|Use it for every file/);
    const { data, text } = await callTool(agent, "upload", { path: await makeFile("some.txt", "some") });
    assert.equal(data.errorCode, "FORBIDDEN");
    assert.match(text, /add --allow and the folder/);
    const both = await callTool(agent, "upload", { path: "/a", contentBase64: "aGk=" });
    assert.match(both.text, /exactly one of path, url and contentBase64/);
    const [command = "", ...rest] = toCommand("binary");
    const cases: readonly (readonly [string, RegExp])[] = [
      [join(home.path, "missing"), /Name an existing folder/],
      ["", /--allow is empty\. If it comes from a variable/],
      [".", /not an absolute path/],
    ];
    for (const [folder, expected] of cases) {
      const args = [...rest, "mcp", "--url", server.url, "--allow", folder];
      await assert.rejects(promisify(execFile)(command, args), ({ code, stderr }) => code === 2 && expected.test(String(stderr)));
    }
  });
});
