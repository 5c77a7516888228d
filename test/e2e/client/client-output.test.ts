import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PROGRAM } from "../../support/machine/terminal.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";

/** command line, "Output" and "Exit codes". */
describe("output that cannot be written", () => {
  let server: TestServer;
  let device: ClientDevice;
  let link = "";
  before(async () => {
    server = await startServer();
    device = await makeDevice({ FILEHOST_SERVER: server.url, FILEHOST_DATA: server.dataDir, FILEHOST_SCANNER: "off" });
    await writeFile(join(device.path, "-hello.txt"), "x".repeat(100_000));
    const sent = await device.run(["up", "--", "-hello.txt"]);
    assert.equal(sent.code, 0, sent.stderr);
    link = sent.stdout.trim();
  });
  after(async () => {
    await device[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** Runs `filehost WORDS` in a shell, after `first` and followed by `rest`. */
  async function runShell(words: readonly string[], rest: string, first = ""): Promise<{ readonly code: number; readonly stderr: string }> {
    const child = spawn("bash", ["-c", `${first} "$@" ${rest}; exit \${PIPESTATUS[0]}`, "bash", PROGRAM, ...words], {
      cwd: device.path,
      env: device.env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    const [code] = (await once(child, "close")) as [number];
    return { code, stderr };
  }

  const lines = (): readonly (readonly string[])[] => [
    ["version"],
    ["--help"],
    ["up", "--help"],
    ["help", "exit-codes"],
    ["completions", "bash"],
    ["man", "up"],
    ["config", "--json"],
    ["users", "list"],
    ["ls"],
    ["ls", "--json"],
    ["info", link],
    ["up", "./-hello.txt"],
    ["up", "./-hello.txt", "--json"],
    ["down", link, "-o", "-"],
    ["down", link, "--json", "--force"],
  ];

  test("ends the command with exit code 5 on a full disk", async () => {
    for (const words of lines()) {
      const { code, stderr } = await runShell(words, ">/dev/full");
      assert.equal(code, 5, `${words.join(" ")}: ${stderr}`);
      assert.match(stderr, /Not all output could be written: the disk is full\./, words.join(" "));
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
  });

  test("ends the command with exit code 5 where standard output is closed, and with 0 where it goes to nobody on purpose", async () => {
    for (const words of lines()) {
      const { code, stderr } = await runShell(words, ">&-");
      assert.equal(code, 5, `${words.join(" ")}: ${stderr}`);
      assert.match(stderr, /Not all output could be written: standard output is closed\./, words.join(" "));
    }
    for (const redirection of [">/dev/null", "1<>/dev/null"]) assert.equal((await runShell(["version"], redirection)).code, 0, redirection);
  });

  test("ends the command with exit code 5 in a file that must not grow", async () => {
    for (const words of [
      ["completions", "bash"],
      ["down", link, "-o", "-"],
    ]) {
      const { code, stderr } = await runShell(words, ">out", "ulimit -f 1;");
      assert.equal(code, 5, `${words.join(" ")}: ${stderr}`);
    }
  });

  test("is not reported if the reader of a pipe has closed it", async () => {
    for (const words of lines().filter((words) => words[0] === "completions" || words[0] === "man" || words.includes("-"))) {
      const { code, stderr } = await runShell(words, "| head -c 10 >/dev/null");
      assert.ok(code === 141 || code === 0, `${words.join(" ")}: ${code}`);
      assert.doesNotMatch(stderr, /could be written/);
    }
  });
});
