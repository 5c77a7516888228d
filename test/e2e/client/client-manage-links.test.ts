import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startTerminal } from "../../support/machine/terminal.ts";
import type { TestServer } from "../../support/server.ts";
import { type Origin, startOrigin } from "../../support/services/origin-server.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { type ClientDevice, makeDevice, siteOf } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const KEY = /#key=AGE-SECRET-KEY-1\w+/;

describe("the links and codes of the client's commands", () => {
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

  const sendProtected = async (name: string): Promise<{ readonly shortId: string; readonly code: string }> => {
    const file = { name, bytes: `bytes of ${name}`, fields: { protect: "true", title: `title of ${name}` } };
    const { shortId, unlockCode } = await upload(server, file);
    return { shortId, code: unlockCode ?? assert.fail() };
  };

  /** client down, "Codes and checks". */
  test("read an unlock code that other users cannot see", async () => {
    const { shortId, code } = await sendProtected("hidden.txt");
    const open = await upload(server, { name: "open.txt", bytes: "open" });
    const env = { FILEHOST_UNLOCK_CODE: code };
    assert.doesNotMatch((await device.run(["info", shortId])).stdout, /title of/);
    assert.match((await device.run(["info", shortId], { env })).stdout, /title of hidden\.txt/);
    assert.match((await device.run(["info", shortId, "--code", "-"], { input: `${code}\n` })).stdout, /title of hidden\.txt/);
    assert.match((await device.run(["info", open.shortId], { env })).stdout, /open\.txt/, "a share without a code needs none");
    const down = ["down", shortId, "-o", "-"];
    assert.equal((await device.run(down, { env })).stdout, "bytes of hidden.txt");
    assert.equal((await device.run([...down, "--code", "-"], { input: code })).stdout, "bytes of hidden.txt");
    const other = { env: { FILEHOST_UNLOCK_CODE: "WRONG2" } };
    assert.equal((await device.run([...down, "--code", code], other)).stdout, "bytes of hidden.txt", "the option wins");
    for (const [args, options, exit] of [
      [down, other, 3],
      [["info", shortId], other, 3],
      [[...down, "--code", "-"], { input: "" }, 2],
      [["info", shortId, "--code", "-", "--token", "-"], { input: code }, 2],
    ] as const) {
      const ended = await device.run(args, options);
      assert.deepEqual([ended.code, ended.stdout], [exit, ""], ended.stderr);
    }
  });

  test("do not send the unlock code of the environment to a server that only a link names, beside another server", async () => {
    const { shortId, code } = await sendProtected("elsewhere.txt");
    // The device uses the same server at another address.
    const link = `${server.url}/d/${shortId}`;
    const env = { FILEHOST_UNLOCK_CODE: code };
    const down = ["down", link, "-o", "-"];
    const refused = await device.run(down, { env });
    assert.deepEqual([refused.code, refused.stdout], [3, ""]);
    assert.match(refused.stderr, /FILEHOST_UNLOCK_CODE is not sent/);
    const info = await device.run(["info", link], { env });
    assert.doesNotMatch(info.stdout, /title of/);
    assert.match(info.stderr, /FILEHOST_UNLOCK_CODE is not sent/);
    for (const [args, options] of [
      [down, { env: { ...env, FILEHOST_SERVER: "" } }],
      [[...down, "--url", server.url], { env }],
      [[...down, "--code", "-"], { env, input: code }],
    ] as const) {
      const ended = await device.run(args, options);
      assert.deepEqual([ended.code, ended.stdout], [0, "bytes of elsewhere.txt"], ended.stderr);
      assert.doesNotMatch(ended.stderr, /FILEHOST_UNLOCK_CODE/);
    }
  });

  test("ask for an unlock code on a terminal", async () => {
    const { shortId, code } = await sendProtected("asked.txt");
    await using terminal = startTerminal(["info", shortId, "--code", "-"], { cwd: device.path, env: device.env });
    await terminal.waitFor("Unlock code or password: ");
    terminal.type(`${code}\r`);
    await terminal.waitFor("title of asked.txt");
    assert.equal(await terminal.ended(), 0);
  });

  /** client manage, "Settings". */
  test("keep the key of an encrypted share", async () => {
    await writeFile(join(device.path, "encrypted.txt"), "secret text");
    const sent = await device.run(["up", "encrypted.txt", "--encrypt"]);
    const [, link = "", shortId = "", key = ""] = /^(\S+\/d\/(\w+)(#\S+))\n$/.exec(sent.stdout) ?? assert.fail(sent.stderr);
    assert.match(key, KEY);
    for (const args of [
      ["share", shortId, "--title", "New"],
      ["info", shortId],
      ["share", shortId, "--link"],
    ])
      assert.ok((await device.run(args)).stdout.includes(link), args.join(" "));
    assert.equal((await device.runJson<{ url: string }>(["share", shortId])).url, link);
    const made = await device.runJson<{ url: string; handoffUrl: string }>(["protect", shortId]);
    assert.deepEqual([made.url, made.handoffUrl.replace(/^[^#]*/, "")], [link, key]);
    assert.equal((await device.run(["down", made.handoffUrl, "-o", "-"])).stdout, "secret text");
    const rotated = await device.run(["protect", shortId, "--rotate"]);
    assert.match(rotated.stdout, new RegExp(`^private link +\\S+/h/\\S+${KEY.source}$`, "m"));
    assert.equal((await device.run(["protect", shortId, "--remove"])).stdout, `${link}\n`);
    assert.doesNotMatch((await device.run(["ls", "--json"])).stdout, KEY);
  });

  /** client manage, "Listing files and shares". */
  test("list a shipment by its title, or by the names of its files", async () => {
    await using own = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
    for (const name of ["a.txt", "b.txt"]) await writeFile(join(own.path, name), name);
    const send = async (...options: string[]): Promise<void> => assert.equal((await own.run(["up", "a.txt", "b.txt", ...options])).code, 0);
    await send("--title", "Trip to Rome");
    await send("--title", "Behind a code", "--protect");
    await send();
    const names = (await own.runJson<{ files: { name: string }[] }>(["ls"])).files.map(({ name }) => name).sort();
    assert.deepEqual(names, ["Behind a code", "Trip to Rome", "a.txt, …"]);
    const [titled] = (await own.shares.list()).filter(({ name }) => name === "Trip to Rome");
    await own.run(["share", titled?.shortId ?? "", "--title", "Trip to Naples"]);
    assert.match((await own.run(["ls"])).stdout, / Trip to Naples\n/);
    const secrets = (await own.shares.list()).flatMap(({ claimToken, deletionToken, shareToken }) => [
      claimToken,
      deletionToken,
      shareToken,
    ]);
    const { stdout } = await own.run(["ls", "--json"]);
    assert.equal(secrets.length, 9);
    for (const secret of secrets) assert.ok(secret && !stdout.includes(secret));
  });

  describe("in a browser", () => {
    /** A browser that writes the page to a file. */
    async function addBrowser({
      path,
    }: ClientDevice): Promise<{ readonly env: Readonly<Record<string, string>>; opened(): Promise<string> }> {
      const file = join(path, "opened");
      await writeFile(join(path, "browser"), `#!/bin/sh\nprintf '%s\\n' "$@" >> "${file}"\n`, { mode: 0o700 });
      return { env: { BROWSER: join(path, "browser") }, opened: () => readFile(file, "utf8").catch(() => "") };
    }

    /** A filehost whose links lead elsewhere. */
    async function startLying(shareUrl: string): Promise<Origin> {
      const { data: real } = await clientOf(server).call("uploadFile", {
        file: { name: "x.txt", type: undefined, bytes: new TextEncoder().encode("x") },
      });
      const lying: Origin = await startOrigin({
        "/api/agent/capabilities": (_, response) =>
          response.setHeader("Content-Type", "application/json").end(JSON.stringify({ service: "filehost", siteUrl: lying.url })),
        "/api/files/upload": (_, response) =>
          response.setHeader("Content-Type", "application/json").end(JSON.stringify({ success: true, data: { ...real, shareUrl } })),
      });
      return lying;
    }

    /** client manage, "The page of a share". */
    test("open only pages of the server", async () => {
      await using own = await makeDevice();
      const { env, opened } = await addBrowser(own);
      await writeFile(join(own.path, "x.txt"), "x");
      for (const elsewhere of ["https://elsewhere.example/d/abcdefgh", "http://127.0.0.1:1/d/abcdefgh"]) {
        await using lying = await startLying(elsewhere);
        const sent = await own.run(["up", "x.txt", "--open", "--url", lying.url], { env });
        assert.deepEqual([sent.code, sent.stdout], [0, `${elsewhere}\n`], sent.stderr);
        assert.match(sent.stderr, /leads to another site than that of the server, and is not opened/);
        const [remembered] = await own.shares.list();
        const shown = await own.run(["open", remembered?.shortId ?? ""], { env });
        assert.deepEqual([shown.code, shown.stdout], [0, `${elsewhere}\n`], shown.stderr);
        assert.match(shown.stderr, /is not opened/);
      }
      assert.equal(await opened(), "");
      const sent = await own.run(["up", "x.txt", "--open", "--url", server.url], { env });
      assert.equal(sent.code, 0, sent.stderr);
      assert.equal(await opened(), sent.stdout);
      const shown = await own.run(["open", /\w+\n$/.exec(sent.stdout)?.[0].trim() ?? "", "--url", server.url], { env });
      assert.match(shown.stderr, /^Opened http/);
      assert.equal(await opened(), sent.stdout + sent.stdout);
    });
  });
});
