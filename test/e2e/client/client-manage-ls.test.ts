import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { clientOf, signedUrl, type Upload, upload } from "../support/api/api.ts";
import { type ClientDevice, makeDevice, rememberUpload, siteOf } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { MB, someBytes } from "../support/uploads/multipart.ts";

interface Listed {
  readonly folders: readonly { readonly name: string }[];
  readonly files: readonly { readonly id: string; readonly name: string }[];
  readonly total: number;
}

/** client manage, "Listing files and shares". */
describe("filehost ls", () => {
  let server: TestServer;
  let device: ClientDevice;
  let owner: Account;
  before(async () => {
    server = await startPlainServer();
    device = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
    owner = await addAccount(server);
  });
  after(async () => {
    await device[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  const withKey = (key: string) => ({ env: { FILEHOST_KEY: key } });
  const send = (name: string, bytes: string, key?: string, fields: Record<string, string> = {}) =>
    upload(server, { name, bytes, fields }, key === undefined ? {} : { key });
  const namesOf = ({ files }: Listed): readonly string[] => files.map(({ name }) => name);

  test("lists folders and files of the account by path, ID, search, order and run", async () => {
    const api = clientOf(server, { key: owner.key });
    const reports = (await api.call("createFolder", { name: "Reports" })).data.id;
    const year = (await api.call("createFolder", { name: "2026", parentId: reports })).data.id;
    const inRoot = await send("root.txt", "root", owner.key);
    await send("small.txt", "s", owner.key, { folderId: year, runId: "build-42" });
    await send("large.txt", "l".repeat(3000), owner.key, { folderId: year });

    const root = await device.runJson<Listed>(["ls"], withKey(owner.key));
    assert.deepEqual([root.folders.map(({ name }) => name), namesOf(root), root.total], [["Reports"], ["root.txt"], 1]);
    for (const folder of ["Reports/2026", "/Reports/2026/", year])
      assert.deepEqual(namesOf(await device.runJson(["ls", folder, "--sort", "size"], withKey(owner.key))), ["large.txt", "small.txt"]);
    assert.deepEqual(namesOf(await device.runJson(["ls", "--search", "SMALL"], withKey(owner.key))), ["small.txt"]);
    assert.deepEqual(namesOf(await device.runJson(["ls", "--run-id", "build-42"], withKey(owner.key))), ["small.txt"]);
    const limited = await device.run(["ls", year, "--limit", "1"], withKey(owner.key));
    assert.equal(limited.stdout.split("\n").length, 3);
    assert.match(limited.stderr, /1 of 2 files\. To list all: --all/);

    const { stdout } = await device.run(["ls"], withKey(owner.key));
    assert.match(stdout, /^ID +SIZE +EXPIRES +DOWNLOADS +STATE +LINK +NAME\n/);
    assert.match(stdout, new RegExp(`\\n${reports} +2\\.9 KB +- +- +folder +- +Reports/\\n`));
    assert.match(stdout, new RegExp(`\\n${inRoot.id} +4 bytes +\\d{4}-.* UTC +0 +ready +${inRoot.shareUrl} +root.txt\\n`));
  });

  test("has the same names and shape with and without an account, as up and info have", async () => {
    await using own = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
    const account = await addAccount(server);
    await writeFile(join(own.path, "a.txt"), "four");
    for (const options of [{}, withKey(account.key)]) {
      const { stdout } = await own.run(["up", "a.txt", "--no-resume", "--json"], options);
      const sent = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { url: string; sizeBytes: number; shortId: string };
      const listed = await own.runJson<{ folders: []; files: Record<string, unknown>[]; total: number }>(["ls"], options);
      assert.deepEqual([listed.folders, listed.total], [[], 1]);
      const [{ url, sizeBytes, name, shortId, ...file } = assert.fail("none")] = listed.files;
      assert.deepEqual([url, sizeBytes, name, shortId], [sent.url, 4, "a.txt", sent.shortId]);
      assert.deepEqual(
        ["state", "scanStatus", "createdAt", "expiresAt", "downloads"].filter((known) => !(known in file)),
        [],
      );
      for (const command of ["info", "share"])
        assert.equal((await own.runJson<{ url: string }>([command, sent.shortId], options)).url, sent.url, command);
      const outputs = [
        listed,
        await own.runJson(["info", sent.shortId], options),
        await own.runJson(["ls", "--shares"], withKey(account.key)),
      ];
      assert.doesNotMatch(JSON.stringify(outputs), /"(shareUrl|link|size|size_bytes|short_id|expires_at)":/);
    }
  });

  /** scanning, "Whether a scanner is required". */
  test("says that files were not scanned, also in info", async () => {
    const { key } = await addAccount(server);
    const sent = await send("unscanned.txt", "never read by a scanner", key);
    const { files } = await device.runJson<{ files: { scanStatus: string; scanned: boolean }[] }>(["ls"], withKey(key));
    assert.deepEqual(
      files.map(({ scanStatus, scanned }) => [scanStatus, scanned]),
      [["clean", false]],
    );
    const { stdout } = await device.run(["info", sent.shortId], withKey(key));
    assert.match(stdout, /\nscan +not scanned for malware\n/);
  });

  test("lists the files of a folder that was sent to the root at the root", async () => {
    const { key } = await addAccount(server);
    await using own = await makeDevice({ FILEHOST_SERVER: siteOf(server), FILEHOST_KEY: key });
    await mkdir(join(own.path, "trip"));
    await writeFile(join(own.path, "trip", "a.txt"), "small");
    // A file of this size is sent alone, and not with the others in a batch.
    await writeFile(join(own.path, "trip", "b.bin"), someBytes(9 * MB));
    const sent = await own.run(["up", "trip", "--folder", "/"]);
    assert.equal(sent.code, 0, sent.stderr);
    const { folders, ...root } = await own.runJson<Listed>(["ls"]);
    assert.deepEqual([folders, namesOf({ folders, ...root }).toSorted()], [[], ["a.txt", "b.bin"]]);
    const piped = await own.run(["up", "-", "--folder", "/"], { input: "piped" });
    assert.equal(piped.code, 0, piped.stderr);
    assert.deepEqual(namesOf(await own.runJson(["ls"])).toSorted(), ["a.txt", "b.bin", "stdin"]);
    assert.equal((await own.run(["up", "trip", "--no-resume"])).code, 0);
    const listed = await own.runJson<Listed>(["ls"]);
    assert.deepEqual(
      listed.folders.map(({ name }) => name),
      ["trip"],
    );
  });

  test("lists new folders, also those of up --folder", async () => {
    const { key } = await addAccount(server);
    await using own = await makeDevice({ FILEHOST_SERVER: siteOf(server), FILEHOST_KEY: key });
    await writeFile(join(own.path, "a.txt"), "four");
    const made = await own.run(["mkdir", "Reports/2026", "Photos"]);
    assert.deepEqual([made.code, made.stdout.split("\n").map((line) => line.split("  ")[1])], [0, ["Reports/2026/", "Photos/", undefined]]);
    const again = await own.run(["mkdir", "Reports/2026/"]);
    assert.deepEqual([again.code, again.stderr], [0, "Reports/2026 exists already.\n"]);
    assert.equal((await own.run(["up", "a.txt", "--folder", "New/Deep/Folder"])).code, 0);
    assert.equal((await own.run(["up", "a.txt", "--folder", "New/Deep", "--no-resume"])).code, 0);
    const { folders } = await own.runJson<Listed>(["ls"]);
    assert.deepEqual(folders.map(({ name }) => name).sort(), ["New", "Photos", "Reports"]);
    assert.deepEqual(namesOf(await own.runJson(["ls", "New/Deep/Folder"])), ["a.txt"]);
    assert.equal((await own.run(["mkdir", "/"])).code, 0);
    const listed = await own.run(["ls"]);
    assert.match(listed.stdout, / 8 bytes .* New\/\n/, "with the folders below it");

    assert.deepEqual(
      (await own.run(["mkdir", ".", "./New", "New/./Deep/"])).stderr,
      "/ exists already.\nNew exists already.\nNew/Deep exists already.\n",
    );
    for (const path of ["..", "q/../w", "/../q"]) {
      assert.match((await own.run(["mkdir", "Other", path])).stderr, /A path cannot have \.\. in it/);
      assert.equal((await own.run(["up", "a.txt", "--folder", path, "--no-resume"])).code, 2);
      assert.equal((await own.run(["ls", path])).code, 2);
    }
    for (const path of [" ", "q/\u0007", "x".repeat(201)]) {
      const { code, stderr } = await own.run(["mkdir", "Other", path]);
      assert.deepEqual([code, /is not the path of a folder: each name in it has 1 to 200 characters/.test(stderr)], [2, true], stderr);
    }
    const after = await own.runJson<Listed>(["ls"]);
    assert.deepEqual(after.folders.map(({ name }) => name).sort(), ["New", "Photos", "Reports"], "nothing is made");
  });

  test("lists the shares of the account by state", async () => {
    const key = (await addAccount(server)).key;
    const open = await send("open.txt", "open", key, { maxDownloads: "3" });
    const closed = await send("closed.txt", "closed", key);
    await clientOf(server, { key }).call("closeShare", { shortId: closed.shortId });
    const shortIds = async (...args: string[]): Promise<string[]> =>
      (await device.runJson<{ shortId: string }[]>(["ls", "--shares", ...args], withKey(key))).map(({ shortId }) => shortId);
    assert.deepEqual(await shortIds(), [open.shortId]);
    assert.deepEqual(await shortIds("--state", "ended"), [closed.shortId]);
    assert.deepEqual(await shortIds("--search", "nothing"), []);
    const { stdout } = await device.run(["ls", "--shares"], withKey(key));
    assert.match(stdout, /^SIZE +EXPIRES +DOWNLOADS +STATE +LINK +NAME\n4 bytes .* 0 of 3 +ready +http.* open\.txt\n$/);
  });

  test("lists an anonymous share that was extended after this device had remembered when it expires", async () => {
    await using own = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
    const sent = await send("extended.txt", "extended");
    await rememberUpload(own, server, sent);
    await own.shares.update({ server: server.url, shortId: sent.shortId }, { expiresAt: new Date(Date.now() - 60_000).toISOString() });
    const { files: shares } = await own.runJson<{ files: { shortId: string; expiresAt: string }[] }>(["ls"]);
    assert.deepEqual(
      shares.map(({ shortId, expiresAt }) => [shortId, expiresAt]),
      [[sent.shortId, sent.expiresAt]],
    );
    assert.equal((await own.shares.find(sent.shortId))?.claimToken, sent.claimToken);
  });

  test("lists the anonymous shares of this device with their current state, and no tokens", async () => {
    await using own = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
    assert.equal((await own.run(["ls"])).stdout, "This device remembers no anonymous shares.\n");
    const kept = await send("kept.txt", "kept");
    const removed = await send("removed.txt", "removed");
    const used = await send("used.txt", "used", undefined, { once: "true" });
    await signedUrl(server, used.id);
    for (const sent of [kept, removed, used]) await rememberUpload(own, server, sent);
    await fetch(`${server.url}/api/files/delete?fileId=${removed.id}&token=${removed.deletionToken}`, { method: "DELETE" });
    const { files: shares } = await own.runJson<{
      files: { shortId: string; state: string; scanStatus: string | null; downloads: number | null }[];
    }>(["ls"]);
    const states = Object.fromEntries(shares.map(({ shortId, state, scanStatus }) => [shortId, [state, scanStatus]]));
    assert.deepEqual(states, {
      [kept.shortId]: ["active", "clean"],
      [removed.shortId]: ["deleted", null],
      [used.shortId]: ["used_up", null],
    });
    const text = await own.run(["ls"], { env: { FILEHOST_SERVER: "" } });
    assert.match(text.stdout, new RegExp(`\\n4 bytes .* 0 +ready +${kept.shareUrl} +kept.txt\\n`));
    assert.match(text.stdout, / used up .* used\.txt\n/);
    assert.match(text.stdout, / deleted .* removed\.txt\n/);
    assert.doesNotMatch(text.stdout + JSON.stringify(shares), /claim_|del_/);
    const { stdout } = await own.run(["ls", "--anonymous", "--search", "KEPT"], withKey(owner.key));
    assert.equal(stdout.trim().split("\n").length, 2);
  });

  test("lists many anonymous shares with few requests, repeatedly, within the request rate", async () => {
    await using limited = await startServer({
      env: { FILEHOST_SCANNER: "off", FILEHOST_RATE_LIMITS: "on", FILEHOST_TRUSTED_PROXIES: "127.0.0.1" },
    });
    await using own = await makeDevice({ FILEHOST_SERVER: limited.url });
    const sent: Upload[] = [];
    for (let n = 0; n < 130; n += 1)
      sent.push(await upload(limited, { name: `${n}.txt`, bytes: "x" }, { headers: fromAddress(`198.18.1.${n}`) }));
    for (const one of sent) await rememberUpload(own, limited, one);
    for (let n = 0; n < 5; n += 1) {
      const { files: shares } = await own.runJson<{ files: { state: string; scanStatus: string; expiresAt: string; name: string }[] }>([
        "ls",
        "--all",
      ]);
      assert.deepEqual(
        shares.map(({ state, scanStatus, name }) => [state, scanStatus, name]),
        sent.map(({ name }) => ["active", "clean", name]).reverse(),
      );
      assert.equal(shares[0]?.expiresAt, sent.at(-1)?.expiresAt);
    }
  });

  test("names the server that could not be asked, with its exit code", async () => {
    await using gone = await startPlainServer();
    await using own = await makeDevice();
    const [kept, lost] = [await send("kept.txt", "kept"), await upload(gone, { name: "lost.txt", bytes: "lost" })];
    await rememberUpload(own, server, kept);
    await rememberUpload(own, gone, lost);
    await gone.stop();
    const { code, stdout, stderr } = await own.run(["ls", "--quiet"]);
    assert.equal(code, 8);
    assert.match(stdout, / unknown .*lost\.txt\n/);
    assert.match(stdout, / ready .*kept\.txt\n/);
    assert.match(stderr, new RegExp(`^${gone.url} could not be asked: .*refused.*\n$`));
    const listed = await own.run(["ls", "--json"]);
    const codes = (JSON.parse(listed.stdout) as { files: { name: string; errorCode: string | null }[] }).files.map(
      ({ name, errorCode }) => [name, errorCode],
    );
    assert.deepEqual([listed.code, Object.fromEntries(codes)], [8, { "kept.txt": null, "lost.txt": "UNAVAILABLE" }]);
  });

  test("refuses invalid arguments like the server", async () => {
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [["ls", "--shares"], 3, /key/i],
      [["ls", "Reports"], 3, /key/i],
      [["ls", "--sort", "colour"], 2, /Choose one of created, name, size, state/],
      [["ls", "--shares", "--sort", "size"], 2, /--sort is for files/],
      [["ls", "--anonymous", "--shares"], 2, /--shares is for the files of an account/],
      [["ls", "--limit", "none"], 2, /not a number of items/],
    ];
    for (const [args, code, expected] of cases) {
      const ended = await device.run(args);
      assert.deepEqual([ended.code, ended.stdout], [code, ""], `${args}: ${ended.stderr}`);
      assert.match(ended.stderr, expected);
    }
    const wrong = await device.runJson<{ errorCode: string }>(["ls"], { ...withKey("bc_wrong"), code: 3 });
    assert.equal(wrong.errorCode, "UNAUTHENTICATED");
    const missing = await device.runJson<{ errorCode: string }>(["ls", "No/such"], { ...withKey(owner.key), code: 4 });
    assert.equal(missing.errorCode, "NOT_FOUND");
  });
});
