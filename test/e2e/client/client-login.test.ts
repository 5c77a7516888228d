import assert from "node:assert/strict";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startTerminal } from "../../support/machine/terminal.ts";
import type { TestServer } from "../../support/server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { call, clientOf } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { callTool } from "../support/api/mcp.ts";
import { connectStdio } from "../support/api/mcp-stdio.ts";
import { makeDevice } from "../support/client/client-device.ts";
import { readSecret, secretPath, signInByCode, startWaiting } from "../support/client/client-login.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

interface Listed {
  readonly profiles: readonly { readonly name: string; readonly server: string; readonly isDefault: boolean; readonly secret: string }[];
}

/** client, "Signing in", "Profiles" and "Secrets". */
describe("filehost login without a browser", () => {
  let server: TestServer;
  let other: TestServer;
  let account: Account;
  let home: string;
  before(async () => {
    server = await startPlainServer();
    other = await startPlainServer();
    account = await addAccount(server);
    home = homeOf(server);
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await other?.[Symbol.asyncDispose]();
  });

  const person = async () => ({ session: await startSession(server, account), userId: account.userId, home });
  const applications = async () => (await clientOf(server, account).call("listApplications", {})).data;

  test("a person allows a device by its code, each sign-in is a separate connection, and logout ends it", async () => {
    await using device = await makeDevice();
    const first = await signInByCode(device, await person(), ["--json"]);
    assert.equal(first.code, 0, first.stderr);
    assert.equal(JSON.parse(first.stdout).secret, "file");
    const name = `localhost-${new URL(home).port}`;
    const { accessToken, refreshToken } = await readSecret(device, name);
    for (const secret of [accessToken, refreshToken]) assert.ok(!`${first.stdout}${first.stderr}`.includes(String(secret)));
    assert.equal((await call(server, "GET", "/api/me", { key: String(accessToken) })).status, 200);
    assert.deepEqual((await applications())[0]?.scopes, ["files.read", "files.write"]);

    await using second = await makeDevice();
    assert.equal((await signInByCode(second, await person(), ["--scope", "files.read"])).code, 0);
    assert.equal((await applications()).length, 2);
    assert.equal((await signInByCode(device, await person(), ["--scope", "account"])).code, 0);
    const scopes = (await applications()).map(({ scopes }) => scopes.length).sort();
    assert.deepEqual(scopes, [1, 3], "the earlier connection of the device has ended");

    assert.equal((await device.run(["logout"])).code, 0);
    assert.equal((await applications()).length, 1);
    assert.equal((await second.run(["whoami"])).code, 0);
    assert.deepEqual(await readdir(join(device.path, "config", "filehost", "credentials")), [`${name}.lock`]);
    const out = await device.run(["logout"]);
    assert.deepEqual([out.code, out.stderr], [4, "You are not signed in: there is no profile.\n"]);
    await second.run(["logout"]);
  });

  test("an ended connection is reported with a next step, and an unreachable server is not waited for", async () => {
    await using device = await makeDevice();
    await signInByCode(device, await person());
    const [application] = await applications();
    await clientOf(server, account).call("disconnectApplication", { id: application?.id ?? "" });
    const { code, stderr } = await device.run(["whoami"]);
    assert.equal(code, 3);
    assert.match(stderr, /You are signed out of .*\. Run: filehost login http/);
    await using gone = await startPlainServer();
    const key = (await addAccount(gone)).key;
    await device.run(["login", homeOf(gone), "--with-key", "--profile", "gone"], { input: key });
    await gone.kill();
    assert.equal((await device.run(["whoami"])).code, 8);
    assert.equal((await device.run(["logout", "--profile", "gone"])).code, 0, "a key needs no server");
  });

  test("a key comes from standard input, a file or a hidden prompt, and is tested before it is stored", async () => {
    await using device = await makeDevice();
    const file = join(device.path, "key");
    await writeFile(file, `${account.key}\n`, { mode: 0o600 });
    assert.equal((await device.run(["login", server.url, "--with-key", "--profile", "piped"], { input: `${account.key}\n` })).code, 0);
    assert.equal((await device.run(["login", server.url, "--key-file", file, "--profile", "file"])).code, 0);
    await using terminal = startTerminal(["login", server.url, "--with-key", "--profile", "typed"], { cwd: device.path, env: device.env });
    await terminal.waitFor("API key for");
    terminal.type(account.key);
    terminal.press("enter");
    await terminal.waitFor("Signed in to");
    assert.equal(await terminal.ended(), 0);
    assert.ok(!terminal.output().includes(account.key));
    const { profiles } = await device.runJson<Listed>(["profiles", "list"]);
    assert.deepEqual(
      profiles.map(({ name, isDefault }) => [name, isDefault]),
      [
        ["piped", false],
        ["file", false],
        ["typed", true],
      ],
    );
    for (const { name } of profiles) assert.deepEqual(await readSecret(device, name), { key: account.key });

    const wrong = await device.run(["login", server.url, "--with-key", "--profile", "wrong"], { input: "bc_wrong" });
    assert.equal(wrong.code, 3);
    assert.ok(!wrong.stderr.includes("bc_wrong"));
    assert.equal((await device.run(["login", server.url, "--with-key"], { input: "" })).code, 2);
    assert.equal((await device.run(["login", server.url, "--with-key", "--device"])).code, 2);
    assert.equal((await device.run(["login", server.url, "--with-key", "--profile", "../x"], { input: account.key })).code, 2);
    assert.equal((await device.runJson<Listed>(["profiles", "list"])).profiles.length, 3);
  });

  test("profiles belong to several servers, the chosen one is used, and the environment has precedence", async () => {
    await using device = await makeDevice();
    const elsewhere = await addAccount(other);
    await device.run(["login", server.url, "--with-key", "--profile", "one"], { input: account.key });
    await device.run(["login", other.url, "--with-key", "--profile", "two"], { input: elsewhere.key });
    const whoIs = async (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
      (await device.runJson<{ account: { id: string } | null }>(["whoami", ...args], { env })).account?.id;
    assert.equal(await whoIs(), elsewhere.userId);
    assert.equal((await device.run(["profiles", "use", "one"])).code, 0);
    assert.equal(await whoIs(), account.userId);
    assert.equal(await whoIs(["--profile", "two"]), elsewhere.userId);
    assert.equal(await whoIs([], { FILEHOST_PROFILE: "two" }), elsewhere.userId);
    assert.equal(await whoIs(["--url", other.url]), elsewhere.userId);
    const third = await addAccount(other);
    assert.equal(await whoIs([], { FILEHOST_SERVER: other.url, FILEHOST_KEY: third.key }), third.userId);
    assert.equal((await device.run(["profiles", "use", "three"])).code, 4);
    assert.equal((await device.run(["logout", "--profile", "one"])).code, 0);
    const { code, stderr } = await device.run(["whoami"]);
    assert.equal(code, 2);
    assert.match(stderr, /filehost profiles use NAME/);
  });

  test("filehost mcp acts for the profile, and its tools never read the profile's secrets", async () => {
    await using device = await makeDevice();
    await signInByCode(device, await person(), ["--profile", "work"]);
    const args = ["--allow", join(device.path, "config")];
    await using agent = await connectStdio({ url: home }, { era: "a session", args, env: device.env });
    assert.equal((await callTool(agent, "list_files")).isError, false);
    const { data, text } = await callTool(agent, "upload", { path: secretPath(device, "work") });
    assert.equal(data.errorCode, "FORBIDDEN", text);
    await device.run(["logout"]);
  });

  test("folders and files are readable only by their user, and a file that is open to others is not used", async () => {
    await using device = await makeDevice();
    await mkdir(join(device.path, "config", "filehost"), { recursive: true, mode: 0o755 });
    await device.run(["login", server.url, "--with-key", "--profile", "one"], { input: account.key });
    const folder = join(device.path, "config", "filehost");
    const modes = await Promise.all(
      [folder, join(folder, "credentials"), join(folder, "config.json"), secretPath(device, "one")].map(
        async (path) => (await stat(path)).mode & 0o777,
      ),
    );
    assert.deepEqual(modes, [0o700, 0o700, 0o600, 0o600]);
    for (const path of [join(folder, "config.json"), secretPath(device, "one")]) {
      await chmod(path, 0o640);
      const { code, stderr } = await device.run(["whoami"]);
      assert.equal(code, 3, path);
      assert.ok(stderr.includes(`chmod 600 ${path}`), stderr);
      await chmod(path, 0o600);
    }
    assert.equal((await device.run(["whoami"])).code, 0);
  });

  test("a code is shown without a display, or over SSH", async () => {
    for (const env of [{}, { SSH_CONNECTION: "1", DISPLAY: ":0" }] as const) {
      await using device = await makeDevice();
      const waiting = startWaiting(device, ["login", home], env as Readonly<Record<string, string>>);
      const shown = Promise.withResolvers<void>();
      waiting.child.stderr?.on("data", () => waiting.stderr().includes("Waiting for you") && shown.resolve());
      await shown.promise;
      assert.match(waiting.stderr(), /enter the code:\n\n {2}http:\/\/localhost:\d+\/device\n {2}[0-9A-Z]{4}-[0-9A-Z]{4}\n/);
      waiting.child.kill("SIGINT");
      assert.equal((await waiting.ended()).code, 130);
    }
  });
});
