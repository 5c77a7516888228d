import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startTerminal } from "../../support/machine/terminal.ts";
import type { TestServer } from "../../support/server.ts";
import { upload } from "../support/api/api.ts";
import { type ClientDevice, makeDevice, siteOf } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const PASSWORD = "correct horse battery";

interface Sent {
  readonly shortId: string;
  readonly url: string;
  readonly unlockCode?: string;
  readonly handoffUrl?: string;
}

/** client up, "Settings of the share"; client down, "Codes and checks"; client manage, "Unlock codes"; sharing, "A password of your own". */
describe("a password of a share in the client", () => {
  let server: TestServer;
  let device: ClientDevice;
  before(async () => {
    server = await startPlainServer();
    device = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
  });
  after(async () => {
    await device?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const env = { FILEHOST_SHARE_PASSWORD: PASSWORD };
  const down = (id: string) => ["down", id, "-o", "-"];

  test("protects a file and a folder, and is not recorded on the device", async () => {
    await device.makeFile("plan.txt", "the plan");
    await device.makeFile("folder/a.txt", "a");
    await device.makeFile("password.txt", `${PASSWORD}\nmore`);
    const runs = [
      await device.run(["up", "plan.txt", "--password", "--json"], { env }),
      await device.run(["up", "folder", "--password-file", "password.txt", "--json"]),
    ];
    for (const { stdout, stderr, code } of runs) {
      assert.equal(code, 0, stderr);
      const done = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Partial<Sent> & { readonly type: string })
        .find(({ type }) => type === "done");
      assert.deepEqual([done?.unlockCode, typeof done?.handoffUrl], [undefined, "string"]);
      assert.equal((await device.run(["info", done?.shortId ?? ""])).code, 0);
      assert.equal((await device.run(down(done?.shortId ?? ""), { env: { FILEHOST_UNLOCK_CODE: "a wrong password" } })).code, 3);
      assert.equal(
        (await device.run(["down", done?.shortId ?? "", "-o", `out-${done?.shortId}`], { env: { FILEHOST_UNLOCK_CODE: PASSWORD } })).code,
        0,
      );
    }
    for (const name of await readdir(device.path, { recursive: true })) {
      const bytes = await readFile(join(device.path, name), "utf8").catch(() => "");
      if (!name.endsWith("password.txt")) assert.ok(!bytes.includes(PASSWORD), name);
    }
  });

  test("is asked for twice when it is chosen, and once when the share is opened, without showing it", async () => {
    await device.makeFile("asked.txt", "asked");
    await using terminal = startTerminal(["up", "asked.txt", "--password"], { cwd: device.path, env: device.env });
    await terminal.waitFor("Password of the share: ");
    terminal.type(`${PASSWORD}\r`);
    await terminal.waitFor("The same again: ");
    terminal.type(`${PASSWORD}\r`);
    assert.equal(await terminal.ended(), 0);
    assert.ok(!terminal.output().includes(PASSWORD));
    const [link = assert.fail(terminal.output())] = /http:\/\/\S+\/d\/\w+/.exec(terminal.output()) ?? [];
    await using opened = startTerminal(["down", link, "--folder", "asked"], { cwd: device.path, env: device.env });
    await opened.waitFor("Password: ");
    opened.type("a wrong password\r");
    await opened.waitFor(/wrong[\s\S]*Password: /);
    opened.type(`${PASSWORD}\r`);
    assert.equal(await opened.ended(), 0);
    assert.ok(!opened.output().includes(PASSWORD));
  });

  test("is refused where nobody can be asked, and if it is too short", async () => {
    await device.makeFile("refused.txt", "refused");
    const unasked = await device.run(["up", "refused.txt", "--password"]);
    assert.deepEqual([unasked.code, /FILEHOST_SHARE_PASSWORD, or use --password-file/.test(unasked.stderr)], [2, true]);
    const short = await device.run(["up", "refused.txt", "--password"], { env: { FILEHOST_SHARE_PASSWORD: "short" } });
    assert.deepEqual([short.code, /at least 8 characters/.test(short.stderr)], [2, true]);
  });

  test("replaces the code of a share, and is replaced by one", async () => {
    const { shortId, claimToken = "" } = await upload(server, { name: "owned.txt", bytes: "owned", fields: { protect: "true" } });
    const protect = (...args: string[]) => device.run(["protect", shortId, "--token", claimToken, ...args], { env });
    const taken = await protect("--password");
    assert.deepEqual([taken.code, /--rotate/.test(taken.stderr)], [6, true]);
    const replaced = await protect("--password", "--rotate");
    assert.deepEqual([replaced.code, /unlock code/.test(replaced.stdout), /private link/.test(replaced.stdout)], [0, false, true]);
    assert.equal((await device.run([...down(shortId), "--code", "-"], { input: `${PASSWORD}\n` })).stdout, "owned");
    assert.match((await protect("--rotate")).stdout, /unlock code +[0-9A-Z]{6}/);
    assert.equal((await device.run(down(shortId), { env: { FILEHOST_UNLOCK_CODE: PASSWORD } })).code, 3);
    assert.equal((await protect("--remove", "--password")).code, 2);
  });
});
