import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { readFormat } from "../../../scripts/build.d/executable-format.ts";
import { findParts } from "../../../scripts/build.d/packages.ts";
import { fileNameOf, HOST, TARGET_NAMES, type TargetName, targetOf } from "../../../scripts/build.d/targets.ts";
import { VERSION } from "../../../src/version.ts";
import { makeFolder, type TestFolder } from "../../support/folder.ts";
import { assertSigned } from "../../support/formats/mach-o.ts";
import { longSkipped } from "../../support/long.ts";
import { ARM64_EMULATOR, arm64Missing } from "../../support/machine/qemu.ts";
import { startServer } from "../../support/server.ts";
import { describeUnless } from "../../support/suite.ts";
import { upload } from "../support/api/api.ts";
import { downloadDigest } from "../support/uploads/transfers.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");
const MB = 1024 * 1024;

describe("the executable of this machine", () => {
  test("has the format of its target", async () => {
    assert.deepEqual(await readFormat(join(root, "filehost")), targetOf(HOST).format);
  });

  test("has a header that other files do not have", async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, "script");
    await writeFile(path, `#!/bin/sh\n${"#".repeat(100)}\n`);
    await assert.rejects(readFormat(path), /no header/);
  });

  test("is not built for an unknown system", async () => {
    await assert.rejects(
      run("./scripts/build", ["--target", "amiga"], { cwd: root }),
      /Unknown target amiga. Known are: linux-x64, linux-arm64/,
    );
  });
});

/** Seven executables, whose runtimes and addons are fetched first. */
const BUILD_TIMEOUT_MS = 900_000;

describeUnless(longSkipped, "scripts/build --all", () => {
  let folder: TestFolder;
  const pathOf = (target: TargetName): string => join(folder.path, fileNameOf(target));

  before(async () => {
    folder = await makeFolder();
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  // The first test, and not a hook, which may not take as long.
  test("writes one executable for each target, and their digests", { timeout: BUILD_TIMEOUT_MS }, async () => {
    await run("./scripts/build", ["--all", "--out", folder.path], { cwd: root });
    const names = TARGET_NAMES.map((name) => fileNameOf(name)).sort();
    assert.deepEqual((await readdir(folder.path)).sort(), ["SHA256SUMS", ...names]);
    const digests = await Promise.all(
      names.map(async (name) => {
        const digest = createHash("sha256").update(await readFile(join(folder.path, name)));
        return `${digest.digest("hex")}  ${name}\n`;
      }),
    );
    assert.equal(await readFile(join(folder.path, "SHA256SUMS"), "utf8"), digests.join(""));
  });

  for (const target of TARGET_NAMES) {
    test(`writes an executable for ${target} with the database driver of that system`, async () => {
      assert.deepEqual(await readFormat(pathOf(target)), targetOf(target).format);
      const executable = await readFile(pathOf(target));
      assert.ok(executable.length > 100 * MB && executable.length < 200 * MB, `it has ${executable.length} bytes`);
      const { addonPath } = await findParts(root, target);
      assert.ok(executable.includes(await readFile(addonPath)), "the driver is not in it");
      if (targetOf(target).format.kind === "Mach-O") assertSigned(executable);
    });
  }

  test("produces the same bytes again", async () => {
    await using again = await makeFolder();
    await run("./scripts/build", ["--target", "linux-x64", "--out", again.path], { cwd: root });
    assert.ok((await readFile(join(again.path, "filehost-linux-x64"))).equals(await readFile(pathOf("linux-x64"))));
  });

  test("builds a client of less than three quarters of the size, which sends a file and has no server", async () => {
    await using clients = await makeFolder();
    await run("./scripts/build", ["--client", "--out", clients.path], { cwd: root });
    const client = join(clients.path, fileNameOf(HOST, true));
    assert.ok((await stat(client)).size < 0.75 * (await stat(pathOf(HOST))).size);
    await writeFile(join(clients.path, "a.txt"), "sent");
    await using server = await startServer({ env: { FILEHOST_SCANNER: "off" } });
    const env = { HOME: clients.path, FILEHOST_SERVER: server.url };
    const { stdout } = await run(client, ["up", join(clients.path, "a.txt")], { env });
    assert.match(stdout, /^http\S+\/d\/\w{8}\n$/);
    await assert.rejects(run(client, ["serve"], { env }), /serve/);
    assert.doesNotMatch((await run(client, ["--help"], { env })).stdout, /filehost serve|users create/);
  });

  const emulators: Readonly<Partial<Record<TargetName, readonly string[]>>> = { "linux-x64": [], "linux-arm64": ARM64_EMULATOR };
  for (const [target, wrapper] of Object.entries(emulators) as [TargetName, readonly string[]][]) {
    const missing = target === "linux-arm64" ? arm64Missing : process.arch !== "x64" && "needs a machine with an x64 processor";
    test(`starts ${fileNameOf(target)}, which stores and returns a file`, { skip: missing }, async () => {
      await using empty = await makeFolder();
      const [file = "", ...args] = [...wrapper, pathOf(target), "version"];
      assert.equal((await run(file, args, { cwd: empty.path })).stdout, `filehost ${VERSION}\n`);
      await using server = await startServer({ executable: pathOf(target), wrapper, env: { FILEHOST_SCANNER: "off" } });
      const bytes = "the bytes of a file";
      const { id } = await upload(server, { name: "a.txt", bytes });
      assert.equal(await downloadDigest(server, id), createHash("sha256").update(bytes).digest("hex"));
    });
  }
});
