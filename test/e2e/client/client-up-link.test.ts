import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { renderQr } from "../../../src/cli/terminal/render-qr.ts";
import { startTerminal } from "../../support/machine/terminal.ts";
import type { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { getShare } from "../support/api/api.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

/** client up, "The link". */
describe("the options of filehost up for its link", () => {
  let server: TestServer;
  let device: ClientDevice;
  before(async () => {
    server = await startPlainServer();
    device = await makeDevice({ FILEHOST_SERVER: server.url });
    await writeFile(join(device.path, "file.txt"), "text");
  });
  after(async () => {
    await device?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** A folder for PATH with programs that write their arguments and their standard input to a file. */
  async function makePrograms(folder: string, ...names: readonly string[]): Promise<{ readonly path: string; taken(): Promise<string> }> {
    const bin = join(device.path, folder);
    await mkdir(bin);
    for (const name of names) {
      await writeFile(join(bin, name), `#!/bin/sh\n{ echo "${name} $*"; cat; } >> "${join(bin, "taken")}"\n`);
      await chmod(join(bin, name), 0o700);
    }
    return { path: `${bin}:${process.env.PATH}`, taken: () => readFile(join(bin, "taken"), "utf8").catch(() => "") };
  }

  const linkIn = (text: string): string => /http:\/\/\S+\/d\/\w+/.exec(text)?.[0] ?? assert.fail(text);

  for (const [name, screen, args] of [
    ["wl-copy", { WAYLAND_DISPLAY: "wayland-0" }, ""],
    ["xclip", { DISPLAY: ":0" }, "-selection clipboard"],
    ["xsel", { DISPLAY: ":0" }, "--clipboard --input"],
  ] as const)
    test(`--copy copies it with ${name}, in a pipe and in a terminal`, async () => {
      const programs = await makePrograms(`copy ${name}`, name);
      // Without a program of the machine itself.
      const env = { PATH: `${programs.path.split(":")[0]}:/bin`, ...screen };
      const { code, stdout, stderr } = await device.run(["up", "file.txt", "--copy"], { env });
      assert.equal(code, 0, stderr);
      assert.match(stderr, /The link is on the clipboard\./);
      const first = `${name} ${args}\n${stdout.trim()}`;
      assert.equal(await programs.taken(), first);
      await using terminal = startTerminal(["up", "file.txt", "--copy"], { cwd: device.path, env: { ...device.env, ...env } });
      await terminal.waitFor("The link is on the clipboard.");
      assert.equal(await terminal.ended(), 0);
      assert.equal(await programs.taken(), `${first}${name} ${args}\n${linkIn(terminal.screen())}`);
    });

  test("--copy uses the terminal without a clipboard, and reports in a pipe that there is none", async () => {
    const { code, stdout, stderr } = await device.run(["up", "file.txt", "--copy"]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /There is no clipboard here\. Copy the link\./);
    assert.ok(!(stdout + stderr).includes("\x1b"));
    await using terminal = startTerminal(["up", "file.txt", "--copy"], { cwd: device.path, env: device.env });
    const [, copied = ""] = await terminal.waitFor(/\]52;c;([\w+/=]+)/);
    assert.equal(await terminal.ended(), 0);
    assert.equal(Buffer.from(copied, "base64").toString(), linkIn(terminal.screen()));
  });

  test("--qr shows it as a QR code, beside the link on standard output", async () => {
    const { code, stdout, stderr } = await device.run(["up", "file.txt", "--qr"]);
    assert.equal(code, 0, stderr);
    const expected = renderQr(stdout.trim());
    assert.ok(expected.length > 10);
    assert.ok(stderr.includes(expected.join("\n")), stderr);
    await using terminal = startTerminal(["up", "file.txt", "--qr"], { cwd: device.path, env: device.env, rows: 60 });
    assert.equal(await terminal.ended(), 0);
    const screen = terminal.screen();
    const shown = screen.split("\n").map((line) => line.trimEnd());
    const lines = renderQr(linkIn(screen)).map((line) => line.trimEnd());
    assert.deepEqual(shown.slice(shown.indexOf(lines[0] ?? ""), shown.indexOf(lines[0] ?? "") + lines.length), lines);
    const json = await device.run(["up", "file.txt", "--qr", "--json"]);
    assert.deepEqual([json.code, json.stderr], [0, ""]);
  });

  test("--open opens it with the program of the system, or of BROWSER", async () => {
    const programs = await makePrograms("openers", "xdg-open", "mine");
    const env = { PATH: programs.path };
    const system = await device.run(["up", "file.txt", "--open"], { env: { ...env, DISPLAY: ":0" } });
    assert.equal(system.code, 0, system.stderr);
    const mine = await device.run(["up", "file.txt", "--open"], { env: { ...env, BROWSER: "mine --tab" } });
    assert.equal(mine.code, 0, mine.stderr);
    assert.equal(await programs.taken(), `xdg-open ${system.stdout}mine --tab ${mine.stdout}`);
    const none = await device.run(["up", "file.txt", "--open"], { env });
    assert.equal(none.code, 0, none.stderr);
    assert.match(none.stderr, /No browser could be opened\./);
  });

  interface Watching {
    readonly shortId: string;
    readonly output: { readonly stdout: string; readonly stderr: string };
    readonly closed: Promise<unknown[]>;
  }

  /** Starts an upload that watches its downloads, in a pipe. */
  async function startWatching(options: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Watching> {
    const child = device.start(["up", "file.txt", "--watch", ...options], { env });
    const closed = once(child, "close");
    const output = { stdout: "", stderr: "" };
    child.stdout?.on("data", (chunk) => {
      output.stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      output.stderr += chunk;
    });
    await until("it waits", () => output.stderr.includes("Waiting for downloads. Ctrl-C ends this; the link stays."));
    return { shortId: /\w+\n$/.exec(output.stdout)?.[0].trim() ?? assert.fail(output.stdout), output, closed };
  }

  const download = async (shortId: string): Promise<unknown> => downloadDigest(server, (await getShare(server, shortId)).id);

  test("--watch shows each download, and ends with the share", async () => {
    const { key } = await addAccount(server);
    const [watching, single, owned] = await Promise.all([
      startWatching(),
      startWatching(["--once"]),
      startWatching(["--once"], { FILEHOST_KEY: key }),
    ]);
    for (const { shortId } of [watching, single, owned]) await download(shortId);
    await until("the download is shown", () => /UTC {2}Downloaded: 1 download so far\n/.test(watching.output.stderr));
    assert.equal((await device.run(["rm", watching.shortId, "--yes"])).code, 0);
    for (const { closed, output } of [watching, single, owned]) {
      assert.deepEqual(await closed, [0, null], output.stderr);
      assert.match(output.stderr, /^Sent 1 file, 4 bytes\..*\nWaiting for downloads\./);
      assert.match(output.stderr, /Downloaded: (?:1 download so far|file\.txt \(\w+\))\nThe share has ended\.\n/);
    }
  });

  test("--watch names the file and the client to its owner, in a terminal until Ctrl-C, and in lines of JSON", async () => {
    const { key } = await addAccount(server);
    const env = { ...device.env, FILEHOST_KEY: key };
    await using terminal = startTerminal(["up", "file.txt", "--watch"], { cwd: device.path, env });
    await using lines = startTerminal(["up", "file.txt", "--watch", "--json"], { cwd: device.path, env, columns: 1000 });
    for (const one of [terminal, lines]) {
      const [, shortId = ""] = await one.waitFor(/\/d\/(\w+)/);
      await until("the file is stored", async () => !(await getShare(server, shortId)).uploading);
      await download(shortId);
    }
    await terminal.waitFor(/UTC {2}Downloaded: file\.txt \(\w+\)/);
    await lines.waitFor(/\{"type":"download","at":"[^"]+","name":"file\.txt"/);
    for (const one of [terminal, lines]) {
      one.press("ctrl-c");
      assert.equal(await one.ended(), 130);
    }
  });
});
