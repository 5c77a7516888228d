import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFile, chmod, link, open, readdir, readFile, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Fault, FaultyProxy } from "../../support/faulty-proxy.ts";
import { longSkipped, sampled } from "../../support/long.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts.ts";
import { askShare, getShare } from "../support/api.ts";
import {
  type ClientDevice,
  type Ended,
  type ServerBehindProxy,
  type ServerWithDevice,
  shortIdIn,
  startFaultyLine,
} from "../support/client-device.ts";
import { MB, sha256, someBytes } from "../support/multipart.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { downloadDigest } from "../support/transfers.ts";

/** The options with which each change of a file is tried. */
const ENCRYPTED = longSkipped === undefined ? [[], ["--encrypt"]] : [[]];

/** client up, "Ending an upload". */
describe("a filehost up that ended early", () => {
  let server: ServerWithDevice<ServerBehindProxy>;
  let proxy: FaultyProxy;
  let device: ClientDevice;
  before(async () => {
    server = await startFaultyLine();
    ({ proxy, device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const isPart = ({ method }: { readonly method: string }): boolean => method === "PUT";
  const isUnknown = async (shortId: string): Promise<boolean> => (await askShare(server, shortId)).status === 404;
  const pass = (): Fault => undefined;

  /** Starts an upload, and ends it with a signal when it has printed its link and `isReached`. */
  async function breakOff(args: readonly string[], signal: NodeJS.Signals, isReached: () => boolean): Promise<string> {
    const child = device.start(["up", ...args]);
    const closed = once(child, "close");
    let stdout = "";
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
    });
    await until("the link is printed", () => stdout.endsWith("\n") && isReached());
    child.kill(signal);
    await closed;
    return shortIdIn(stdout);
  }

  for (const signal of ["SIGINT", "SIGKILL"] as const)
    test(`lists a file without an account whose upload ended by ${signal}, and removes it`, async () => {
      const name = `broken-${signal}.bin`;
      await device.makeFile(name, someBytes(6 * MB, 1));
      proxy.decide = (request) => (isPart(request) ? { neverResponds: true } : undefined);
      const shortId = await breakOff([name, "--title", "Half"], signal, () => true);
      proxy.decide = pass;
      const listed = await device.run(["ls", "--json"]);
      const [share] = (JSON.parse(listed.stdout) as { files: { shortId: string; name: string; uploading: boolean; state: string }[] })
        .files;
      assert.deepEqual([share?.shortId, share?.name, share?.uploading], [shortId, name, true]);
      assert.match((await device.run(["ls"])).stdout, new RegExp(` uploading +\\S+/d/${shortId} `));
      const { uploadId, key } = (await device.shares.find(shortId))?.unfinishedUpload ?? assert.fail("it is not remembered");
      for (const secret of [uploadId, key]) assert.ok(!listed.stdout.includes(secret));
      assert.doesNotMatch((await device.run(["ls"])).stdout, / never /);
      for (const command of [
        ["share", shortId, "--link"],
        ["protect", shortId],
      ]) {
        const refused = await device.run(command);
        assert.equal(refused.code, 6, refused.stderr);
        assert.match(refused.stderr, /The upload of this share has not finished\./);
      }

      const removed = await device.run(["rm", shortId, "--yes"]);
      assert.deepEqual([removed.code, removed.stdout], [0, `${shortId}\n`], removed.stderr);
      assert.ok(await isUnknown(shortId));
      assert.equal(await device.shares.find(shortId), undefined);
      const again = await device.run(["up", name, "--title", "Half"]);
      assert.equal(again.code, 0, again.stderr);
      assert.notEqual(shortIdIn(again.stdout), shortId);
      assert.equal((await getShare(server, shortIdIn(again.stdout))).uploading, false);
    });

  test("removes a shipment without an account whose upload was interrupted", async () => {
    await device.makeFile("half/large.bin", someBytes(6 * MB, 9));
    await device.makeFile("half/small.txt", "small");
    let held = 0;
    proxy.decide = (request) => {
      if (!isPart(request)) return undefined;
      held += 1;
      return { neverResponds: true };
    };
    const shortId = await breakOff(["half"], "SIGKILL", () => held > 0);
    proxy.decide = pass;
    const { code, stderr } = await device.run(["rm", shortId, "--yes"]);
    assert.equal(code, 0, stderr);
    assert.ok(await isUnknown(shortId));
    assert.equal(await device.shares.find(shortId), undefined);
  });

  test("removes a stored file whose response was lost", async () => {
    await device.makeFile("lost.bin", someBytes(6 * MB, 2));
    let lost = 0;
    const onResponse = async (): Promise<void> => {
      lost += 1;
    };
    proxy.decide = ({ url }) => (url.endsWith("/complete") ? { cutAfterBytes: 0, onResponse } : undefined);
    const shortId = await breakOff(["lost.bin"], "SIGKILL", () => lost > 0);
    proxy.decide = pass;
    await until("the file is stored", async () => !(await getShare(server, shortId)).uploading);
    const { code, stderr } = await device.run(["rm", shortId, "--yes"]);
    assert.equal(code, 0, stderr);
    assert.ok(await isUnknown(shortId));
    assert.equal(await device.shares.find(shortId), undefined);
  });

  test("forgets the secrets that abort an upload when it is complete", async () => {
    await device.makeFile("complete.bin", someBytes(6 * MB, 3));
    proxy.decide = (request) => (isPart(request) ? { neverResponds: true } : undefined);
    const shortId = await breakOff(["complete.bin"], "SIGKILL", () => true);
    proxy.decide = pass;
    const { code, stdout } = await device.run(["up", "complete.bin"]);
    assert.deepEqual([code, shortIdIn(stdout)], [0, shortId]);
    const remembered = await device.shares.find(shortId);
    assert.ok(remembered?.deletionToken && remembered.unfinishedUpload === undefined);
    assert.equal((await device.run(["rm", shortId, "--yes"])).code, 0);
    assert.ok(await isUnknown(shortId));
  });

  /** What the device remembers of unfinished uploads. */
  const unfinished = (): Promise<readonly string[]> => readdir(join(device.path, "state/filehost/uploads")).catch(() => []);

  /** Runs an upload while `change` happens after its first part was stored, and before the response says so. */
  async function upWhile(
    args: readonly string[],
    change: () => Promise<unknown>,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    let changed: Promise<unknown> | undefined;
    proxy.decide = (request) => {
      if (!isPart(request)) return undefined;
      return { responseHeaders: {}, onResponse: () => (changed ??= change()) };
    };
    const ended = await device.run(["up", ...args], { env });
    proxy.decide = pass;
    return ended;
  }

  for (const account of ["without an account", "with an account"])
    test(`removes an upload whose file changed, and its link, ${account}`, async () => {
      const env: Readonly<Record<string, string>> = account === "with an account" ? { FILEHOST_KEY: (await addAccount(server)).key } : {};
      const name = `changed ${account}.bin`;
      await device.makeFile(name, someBytes(6 * MB, 4));
      const before = await unfinished();
      const { code, stdout, stderr } = await upWhile([name], () => appendFile(join(device.path, name), "more"), env);
      assert.equal(code, 6, stderr);
      assert.match(stderr, /The file changed while it was read\./);
      assert.match(stderr, /The unfinished upload was removed\. Its link does not work any more\./);
      assert.ok(await isUnknown(shortIdIn(stdout)));
      assert.equal(await device.shares.find(shortIdIn(stdout)), undefined);
      assert.deepEqual(await unfinished(), before);
    });

  const renamed = async (name: string): Promise<void> => {
    await rename(join(device.path, name), join(device.path, `${name}.moved`));
    await rename(join(device.path, `${name}.moved`), join(device.path, name));
  };
  const ATTRIBUTES: Readonly<Record<string, (name: string) => Promise<void>>> = {
    permissions: (name) => chmod(join(device.path, name), 0o600),
    links: (name) => link(join(device.path, name), join(device.path, `${name}.backup`)),
    names: renamed,
  };
  for (const [attribute, change] of sampled(Object.entries(ATTRIBUTES), 3))
    for (const options of ENCRYPTED)
      test(`keeps an upload${options.length > 0 ? " of encrypted bytes" : ""} whose file got another ${attribute}, and continues it`, async () => {
        const name = `${attribute}${options.join("")}.bin`;
        await device.makeFile(name, someBytes(30 * MB, 12));
        const { code, stdout, stderr } = await upWhile([name, ...options], () => change(name));
        assert.equal(code, 6, stderr);
        assert.match(stderr, /The name, the permissions or the links of the file changed while it was read\./);
        assert.doesNotMatch(stderr, /removed/);
        assert.equal((await getShare(server, shortIdIn(stdout))).uploading, true);
        const again = await device.run(["up", name, ...options]);
        assert.deepEqual([again.code, again.stdout], [0, stdout], again.stderr);
        const saved = await device.run(["down", again.stdout.trim(), "-o", `${name}.saved`]);
        assert.equal(saved.code, 0, saved.stderr);
        assert.ok((await readFile(join(device.path, `${name}.saved`))).equals(await readFile(join(device.path, name))));
      });

  test("sends the bytes of a file that was written during its upload, and whose time was reset", async () => {
    const bytes = someBytes(30 * MB, 13);
    await device.makeFile("back.bin", bytes);
    const path = join(device.path, "back.bin");
    const time = new Date("2026-01-02T03:04:05Z");
    await utimes(path, time, time);
    bytes.fill(7);
    const ended = await upWhile(["back.bin"], async () => {
      const file = await open(path, "r+");
      await file.write(bytes, 0, bytes.length, 0);
      await file.utimes(time, time);
      await file.close();
    });
    assert.equal(ended.code, 6, ended.stderr);
    const again = await device.run(["up", "back.bin"]);
    assert.equal(again.code, 0, again.stderr);
    const { code, stderr } = await device.run(["down", shortIdIn(again.stdout), "-o", "back.saved"]);
    assert.equal(code, 0, stderr);
    assert.ok((await readFile(join(device.path, "back.saved"))).equals(bytes));
  });

  const over = async (path: string, bytes: Uint8Array): Promise<void> => {
    await writeFile(`${path}.new`, bytes);
    await rename(`${path}.new`, path);
  };
  const CHANGES: Readonly<Record<string, (path: string) => Promise<void>>> = {
    "became longer": (path) => appendFile(path, "more"),
    "became shorter": (path) => truncate(path, 7 * MB),
    "was emptied": (path) => truncate(path, 0),
    "was written again": (path) => writeFile(path, someBytes(30 * MB, 15)),
    "was replaced by another one": (path) => over(path, someBytes(30 * MB, 15)),
    "was replaced by a shorter one": (path) => over(path, someBytes(MB, 15)),
    "was removed": (path) => rm(path),
  };
  for (const [change, act] of sampled(Object.entries(CHANGES), 3))
    for (const options of ENCRYPTED)
      test(`reports a file${options.length > 0 ? " with encrypted bytes" : ""} that ${change} in the same way, alone and in a folder`, async () => {
        const folder = `changes ${change}${options.join("")}`;
        const path = join(device.path, folder, "plan.bin");
        await device.makeFile(`${folder}/plan.bin`, someBytes(30 * MB, 14));
        const alone = await upWhile([`${folder}/plan.bin`, ...options], () => act(path));
        assert.equal(alone.code, 6, alone.stderr);
        assert.match(alone.stderr, /The file changed while it was read\. Upload it again when it is complete\./);
        assert.match(alone.stderr, /The unfinished upload was removed\. Its link does not work any more\./);
        assert.ok(await isUnknown(shortIdIn(alone.stdout)));

        await device.makeFile(`${folder}/plan.bin`, someBytes(30 * MB, 14));
        await device.makeFile(`${folder}/small.txt`, "small");
        const among = await upWhile([folder, ...options], () => act(path));
        assert.equal(among.code, 1, among.stderr);
        assert.match(among.stderr, /plan\.bin\S*: The file changed while it was read\. Upload it again when it is complete\./);
      });

  const CONTINUES = /Its upload continues with the new bytes, and its link stays\./;
  const BEGINS_AGAIN = /another size than in an earlier run\. Its upload begins again, and its link stays\./;
  for (const { kind, bytes, options = [], keepsLink = true, note } of [
    { kind: "of the same size", bytes: someBytes(6 * MB, 21), note: CONTINUES },
    { kind: "that are more", bytes: someBytes(7 * MB, 22), note: BEGINS_AGAIN },
    { kind: "that are fewer than an upload in parts has", bytes: someBytes(100, 23), note: BEGINS_AGAIN },
    { kind: "that are none", bytes: someBytes(0), note: BEGINS_AGAIN },
    { kind: "that are encrypted", bytes: someBytes(7 * MB, 24), options: ["--encrypt"], keepsLink: false, note: /so it gets a new link\./ },
  ])
    test(`reports the outcome for the link of an interrupted upload whose file has other bytes ${kind}`, async () => {
      const name = `between ${kind}.bin`;
      await device.makeFile(name, someBytes(6 * MB, 20));
      let parts = 0;
      proxy.decide = (request) => {
        if (!isPart(request)) return undefined;
        parts += 1;
        return parts === 1 ? undefined : { neverResponds: true };
      };
      const shortId = await breakOff([name, ...options], "SIGKILL", () => parts > 1);
      proxy.decide = pass;
      await device.makeFile(name, bytes);
      const { code, stdout, stderr } = await device.run(["up", name, ...options]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, note);
      assert.equal(shortIdIn(stdout) === shortId, keepsLink);
      assert.equal(await isUnknown(shortId), !keepsLink);
      if (options.length === 0) assert.equal(await downloadDigest(server, (await getShare(server, shortIdIn(stdout))).id), sha256(bytes));
    });

  test("does not send a file again whose share was removed while its upload continued", async () => {
    await device.makeFile("removed.bin", someBytes(30 * MB, 16));
    proxy.decide = (request) => (isPart(request) ? { neverResponds: true } : undefined);
    const shortId = await breakOff(["removed.bin"], "SIGKILL", () => true);
    const remembered = (await device.shares.find(shortId)) ?? assert.fail("it is not remembered");
    const { code, stdout, stderr } = await upWhile(["removed.bin", "--json"], async () => {
      const removed = await device.run(["rm", shortId, "--yes"]);
      assert.equal(removed.code, 0, removed.stderr);
    });
    assert.equal(code, 4, stderr);
    assert.match(stderr, /The upload has ended: its share was removed or has expired meanwhile\./);
    assert.deepEqual(
      [...stdout.matchAll(/"shortId":"(\w+)"/g)].map(([, id]) => id),
      [shortId],
    );
    assert.ok(await isUnknown(shortId));
    assert.deepEqual(
      (await device.shares.list()).filter(({ name }) => name === remembered.name),
      [],
    );
    const again = await device.run(["up", "removed.bin"]);
    assert.equal(again.code, 0, again.stderr);
    assert.notEqual(shortIdIn(again.stdout), shortId);
  });

  for (const { option, args, input } of [
    { option: "--no-resume", args: ["forgotten.bin", "--no-resume"] },
    { option: "--spool", args: ["-", "--spool"], input: "x".repeat(6 * MB) },
  ])
    test(`removes an upload with ${option} that cannot be completed, because nothing can continue it`, async () => {
      await device.makeFile("forgotten.bin", someBytes(6 * MB, 17));
      const body = JSON.stringify({ success: false, error: "Full.", errorCode: "STORAGE_FULL" });
      proxy.decide = ({ url }) => (url.endsWith("/complete") ? { status: 507, body } : undefined);
      const { code, stdout, stderr } = await device.run(["up", ...args], input === undefined ? {} : { input });
      proxy.decide = pass;
      assert.equal(code, 5, stderr);
      assert.match(stderr, /The unfinished upload was removed\./);
      assert.ok(await isUnknown(shortIdIn(stdout)));
      assert.equal(await device.shares.find(shortIdIn(stdout)), undefined);
    });

  test("keeps the tokens of a shipment when the upload of a changed file to it is removed", async () => {
    await device.makeFile("tokens/small.txt", "small");
    await device.makeFile("added.bin", someBytes(6 * MB, 10));
    const shortId = shortIdIn((await device.run(["up", "tokens"])).stdout);
    const before = await device.shares.find(shortId);
    assert.ok(before?.deletionToken);
    const { code, stderr } = await upWhile(["added.bin", "--into", shortId], () => appendFile(join(device.path, "added.bin"), "more"));
    assert.equal(code, 6, stderr);
    assert.match(stderr, /The unfinished file was removed from the share\./);
    assert.deepEqual(await device.shares.find(shortId), before);
    const removed = await device.run(["rm", shortId, "--yes"]);
    assert.equal(removed.code, 0, removed.stderr);
    assert.ok(await isUnknown(shortId));
  });

  test("removes an encrypted upload whose file changed before its later parts were read", async () => {
    await device.makeFile("sealed.bin", someBytes(30 * MB, 8));
    const { code, stdout, stderr } = await upWhile(["sealed.bin", "--encrypt"], () => appendFile(join(device.path, "sealed.bin"), "more"));
    assert.equal(code, 6, stderr);
    assert.match(stderr, /The file changed while it was read\./);
    assert.ok(await isUnknown(shortIdIn(stdout)));
  });

  test("removes the upload of a changed file from its shipment, and sends the others", async () => {
    await device.makeFile("shipment/changed.bin", someBytes(6 * MB, 5));
    await device.makeFile("shipment/small.txt", "small");
    const { code, stdout, stderr } = await upWhile(["shipment"], () => appendFile(join(device.path, "shipment/changed.bin"), "more"));
    assert.equal(code, 1, stderr);
    assert.match(stderr, /shipment\/changed\.bin: The file changed while it was read\./);
    const { files } = await getShare(server, shortIdIn(stdout));
    assert.deepEqual(
      files?.map(({ relativePath }) => relativePath),
      ["shipment/small.txt"],
    );
    const again = await device.run(["up", "shipment"]);
    assert.deepEqual([again.code, again.stdout], [0, stdout], again.stderr);
    assert.equal((await getShare(server, shortIdIn(stdout))).files?.length, 2);
  });

  test("removes interrupted uploads of a shipment whose files have changed or are missing", async () => {
    for (const name of ["changed", "gone", "same"]) await device.makeFile(`three/${name}.bin`, someBytes(6 * MB, 8));
    // Two large files are sent at the same time, at first one part of each.
    let held = 0;
    proxy.decide = (request) => {
      if (!isPart(request)) return undefined;
      held += 1;
      return { neverResponds: true };
    };
    const shortId = await breakOff(["three"], "SIGKILL", () => held >= 2);
    assert.equal((await getShare(server, shortId)).files?.length, 2);
    await appendFile(join(device.path, "three/changed.bin"), "more");
    await rm(join(device.path, "three/gone.bin"));
    proxy.decide = pass;
    const { code, stdout, stderr } = await device.run(["up", "three"]);
    assert.equal(code, 0, stderr);
    assert.equal(shortIdIn(stdout), shortId);
    const { files, uploading } = await getShare(server, shortId);
    assert.deepEqual([files?.map(({ relativePath }) => relativePath).sort(), uploading], [["three/changed.bin", "three/same.bin"], false]);
  });

  test("sends the other files of a folder when the server refuses encrypted ones", async () => {
    await using refusing = await startPlainServer({ FILEHOST_ENCRYPTED: "off" });
    const header = "age-encryption.org/v1\n-> X25519 ";
    await device.makeFile("mixed/small.age", header);
    await device.makeFile("mixed/large.age", Buffer.concat([Buffer.from(header), someBytes(6 * MB, 7)]));
    await device.makeFile("mixed/plain.txt", "plain");
    const { code, stdout, stderr } = await device.run(["up", "mixed"], { env: { FILEHOST_SERVER: refusing.url } });
    assert.equal(code, 1, stderr);
    for (const name of ["small", "large"]) assert.match(stderr, new RegExp(`^mixed/${name}\\.age: .*encrypted`, "m"));
    const { files } = await getShare(refusing, shortIdIn(stdout));
    assert.deepEqual(
      files?.map(({ relativePath }) => relativePath),
      ["mixed/plain.txt"],
    );
  });

  test("forgets an upload that the server removed because it refuses encrypted files", async () => {
    await using refusing = await startPlainServer({ FILEHOST_ENCRYPTED: "off" });
    await device.makeFile("sealed.age", Buffer.concat([Buffer.from("age-encryption.org/v1\n-> X25519 "), someBytes(6 * MB, 11)]));
    const before = await unfinished();
    const { code, stdout, stderr } = await device.run(["up", "sealed.age"], { env: { FILEHOST_SERVER: refusing.url } });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /The unfinished upload was removed\. Its link does not work any more\./);
    assert.equal((await askShare(refusing, shortIdIn(stdout))).status, 404);
    assert.equal(await device.shares.find(shortIdIn(stdout)), undefined);
    assert.deepEqual(await unfinished(), before);
  });

  test("removes an upload that the server refuses at its end, and keeps an upload that it cannot store now", async () => {
    await device.makeFile("refused.bin", someBytes(6 * MB, 6));
    const answer = (status: number, errorCode: string): void => {
      proxy.decide = ({ url }) =>
        url.endsWith("/complete") ? { status, body: JSON.stringify({ success: false, error: "Not this one.", errorCode }) } : undefined;
    };
    answer(507, "STORAGE_FULL");
    const full = await device.run(["up", "refused.bin"]);
    assert.equal(full.code, 5, full.stderr);
    assert.doesNotMatch(full.stderr, /removed/);
    answer(422, "FILE_DIGEST_MISMATCH");
    const refused = await device.run(["up", "refused.bin"]);
    assert.deepEqual([refused.code, refused.stdout], [2, full.stdout], refused.stderr);
    assert.match(refused.stderr, /The unfinished upload was removed\./);
    proxy.decide = pass;
    assert.ok(await isUnknown(shortIdIn(full.stdout)));
  });
});
