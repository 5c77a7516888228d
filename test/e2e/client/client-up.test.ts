import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PROGRAM } from "../../support/terminal.ts";
import { addAccount } from "../support/accounts.ts";
import { clientOf, getShare, listFiles, signedUrl } from "../support/api.ts";
import { type ClientDevice, makeDevice, type ServerWithDevice, shortIdIn, withDevice } from "../support/client-device.ts";
import { MB, sha256, someBytes } from "../support/multipart.ts";
import { startPlainServer } from "../support/plain-server.ts";
import { downloadDigest } from "../support/transfers.ts";

describe("filehost up", () => {
  let server: ServerWithDevice;
  let device: ClientDevice;
  before(async () => {
    server = await withDevice(startPlainServer(), ({ url }) => ({ FILEHOST_SERVER: url }));
    ({ device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function makeFiles(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    for (const [path, bytes] of Object.entries(files)) {
      await mkdir(dirname(join(device.path, path)), { recursive: true });
      await writeFile(join(device.path, path), bytes);
    }
  }

  async function up(args: readonly string[], options: Parameters<ClientDevice["run"]>[1] = {}): Promise<string> {
    const { code, stdout, stderr } = await device.run(["up", ...args], options);
    assert.equal(code, 0, stderr);
    return shortIdIn(stdout);
  }

  /** The paths of a shipment with the digests of their bytes. */
  async function contentOf(shortId: string, unlockCode?: string): Promise<Readonly<Record<string, string>>> {
    const api = clientOf(server);
    const { unlockToken } = unlockCode === undefined ? {} : await api.call("unlockDownload", { shortId, unlockCode });
    const { files } = await api.call("getShare", { shortId, unlockToken });
    const entries = (files ?? []).map(async ({ id, relativePath }) => {
      const url = await signedUrl(server, id, { unlockToken });
      return [relativePath, sha256(new Uint8Array(await (await fetch(url)).arrayBuffer()))] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /** client up, "The link". */
  test("sends a small, an empty and a large file, each as a share whose link it prints", async () => {
    const large = someBytes(9 * MB + 5, 2);
    await makeFiles({ "note.txt": "hello", "empty.txt": "", "large.bin": large });
    for (const [name, bytes] of Object.entries({ "note.txt": "hello", "empty.txt": "", "large.bin": large })) {
      const share = await getShare(server, await up([name]));
      assert.deepEqual([share.kind, share.name, share.size_bytes], ["file", name, bytes.length]);
      assert.equal(await downloadDigest(server, share.id), sha256(bytes));
    }
    assert.deepEqual(await readdir(join(device.path, "state", "filehost", "uploads")), []);
  });

  /** client up, "What becomes of the arguments". */
  test("sends a folder as a shipment with its paths, and names the files that it leaves out", async () => {
    const large = someBytes(5 * MB, 3);
    await makeFiles({ "trip/a.txt": "a", "trip/day 1/.hidden": "h", "trip/day 1/large.bin": large, "outside.txt": "secret" });
    await mkdir(join(device.path, "trip/empty"));
    await symlink("../../outside.txt", join(device.path, "trip/day 1/link.txt"));
    await symlink("..", join(device.path, "trip/day 1/up"));
    const { code, stdout, stderr } = await device.run(["up", "trip/", "--title", "Rome"]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /1 empty folder is not sent: .*trip\/empty/);
    assert.match(stderr, /2 symbolic links are not sent/);
    const content = { "trip/a.txt": sha256("a"), "trip/day 1/.hidden": sha256("h"), "trip/day 1/large.bin": sha256(large) };
    assert.deepEqual(await contentOf(shortIdIn(stdout)), content);
    assert.equal((await getShare(server, shortIdIn(stdout))).title, "Rome");
    assert.deepEqual(await contentOf(await up(["trip", "--follow-links"])), { ...content, "trip/day 1/link.txt": sha256("secret") });
  });

  test("sends several files as a shipment, and gives equal names numbers", async () => {
    await makeFiles({ "one/x.txt": "1", "two/x.txt": "2", "three.txt": "3" });
    assert.deepEqual(await contentOf(await up(["one/x.txt", "two/x.txt", "three.txt", "./three.txt"])), {
      "x.txt": sha256("1"),
      "x (2).txt": sha256("2"),
      "three.txt": sha256("3"),
    });
  });

  /** client up, "Continuing". */
  test("names a file that it cannot read, sends the others, and retries it with the same command", async () => {
    await makeFiles({ "mixed/good.txt": "g", "mixed/sub/other.txt": "o" });
    const target = join(device.path, "mixed/late.txt");
    await symlink("late-target", target);
    const broken = await device.run(["up", "mixed", "--follow-links"]);
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /late\.txt: It does not exist\./);
    assert.match(broken.stderr, /1 file not sent\. Run the same command again/);
    const shortId = shortIdIn(broken.stdout);
    assert.deepEqual(Object.keys(await contentOf(shortId)).sort(), ["mixed/good.txt", "mixed/sub/other.txt"]);
    await makeFiles({ "mixed/late-target": "l" });
    const again = await device.run(["up", "mixed", "--follow-links"]);
    assert.equal(again.code, 0, again.stderr);
    assert.equal(shortIdIn(again.stdout), shortId);
    assert.match(again.stderr, /2 of 4 files are stored already/);
    assert.equal(Object.keys(await contentOf(shortId)).length, 4);
    assert.notEqual(await up(["mixed", "--follow-links"]), shortId, "a later command is another upload");
  });

  test("replaces a file that changed after an earlier run had sent it", async () => {
    await makeFiles({ "draft/a.txt": "first", "draft/b.txt": "b" });
    await symlink("missing", join(device.path, "draft/c"));
    const first = await device.run(["up", "draft", "--follow-links"]);
    await makeFiles({ "draft/a.txt": "second version", "draft/missing": "now" });
    assert.equal(shortIdIn(first.stdout), await up(["draft", "--follow-links"]));
    assert.deepEqual(await contentOf(shortIdIn(first.stdout)), {
      "draft/a.txt": sha256("second version"),
      "draft/b.txt": sha256("b"),
      "draft/c": sha256("now"),
      "draft/missing": sha256("now"),
    });
  });

  for (const options of [[], ["--protect"]])
    test(`continues with the files of the shipment and of this machine ${options.join(" ")}`, async () => {
      const folder = `compared${options.length}`;
      await makeFiles({ [`${folder}/deleted.txt`]: "d", [`${folder}/same-time.txt`]: "old bytes", [`${folder}/secret.txt`]: "s" });
      await symlink("missing", join(device.path, folder, "z"));
      const first = await device.run(["up", folder, "--follow-links", ...options]);
      assert.equal(first.code, 1, first.stderr);
      const shortId = shortIdIn(first.stdout);
      const id = (await device.shares.find(shortId))?.fileIds[0] ?? assert.fail(first.stderr);
      const removed = await device.run(["rm", id, "--yes"]);
      assert.equal(removed.code, 0, removed.stderr);
      const rewritten = join(device.path, folder, "same-time.txt");
      const { atime, mtime } = await stat(rewritten);
      await writeFile(rewritten, "new bytes");
      await utimes(rewritten, atime, mtime);
      await rm(join(device.path, folder, "secret.txt"));

      const incomplete = await device.run(["up", folder, "--follow-links", ...options]);
      assert.deepEqual([incomplete.code, incomplete.stdout], [1, first.stdout]);
      assert.match(incomplete.stderr, /1 file was sent before, is not found now, and stays in the share: compared\d\/secret\.txt/);
      await makeFiles({ [`${folder}/missing`]: "now" });
      const complete = await device.run(["up", folder, "--follow-links", ...options]);
      assert.deepEqual([complete.code, complete.stdout], [0, first.stdout], complete.stderr);
      assert.match(complete.stderr, /1 file is no longer here, and was removed from the share: compared\d\/secret\.txt/);
      assert.match(complete.stderr, /Sent 4 files/);
      const unlockCode = /^Unlock code: (\w+)$/m.exec(complete.stderr)?.[1];
      assert.deepEqual(await contentOf(shortId, unlockCode), {
        [`${folder}/deleted.txt`]: sha256("d"),
        [`${folder}/same-time.txt`]: sha256("new bytes"),
        [`${folder}/missing`]: sha256("now"),
        [`${folder}/z`]: sha256("now"),
      });
    });

  /** client up, "How bytes are sent". */
  test("keeps names of every kind", async () => {
    const names = ["-rf", "--help", "ünï çödé 猫.txt", "new\nline.txt", 'quote".txt', "percent%22.txt", "a\\b", "é".repeat(127), ".dots."];
    await makeFiles(Object.fromEntries(names.map((name) => [`names/${name}`, name])));
    const expected = ["-rf", "--help", "ünï çödé 猫.txt", "newline.txt", 'quote".txt', "percent%22.txt", "ab", "é".repeat(127), ".dots."];
    const content = await contentOf(await up(["names"]));
    assert.deepEqual(Object.keys(content).sort(), expected.map((name) => `names/${name}`).sort());
    for (const [index, name] of names.entries()) {
      const share = await getShare(server, await up(["--", `names/${name}`]));
      // A name with `%22` is sent in parts, whose digest is known later.
      assert.deepEqual([share.name, await downloadDigest(server, share.id)], [expected[index], sha256(name)]);
    }
    assert.equal((await getShare(server, await up([`--file=names/-rf`, "--name", "renamed.txt"]))).name, "renamed.txt");
  });

  /** client up, "Standard input". */
  test("sends standard input of unknown size", async () => {
    const text = "line\n".repeat(2 * MB);
    for (const options of [[], ["--spool"]]) {
      const share = await getShare(server, await up(["-", "--name", 'dump "1".tar', "--title", "Dump", ...options], { input: text }));
      assert.deepEqual([share.name, share.title, share.size_bytes], ['dump "1".tar', "Dump", text.length]);
      assert.equal(await downloadDigest(server, share.id), sha256(text));
    }
    assert.equal((await getShare(server, await up(["-"], { input: "" }))).name, "stdin");
  });

  test("remembers shares that it sent without an account, so that files can be added and they can be listed and removed", async () => {
    await makeFiles({ "set/a.txt": "a", "more.txt": "m" });
    const shortId = await up(["set"]);
    assert.equal(await up(["more.txt", "--into", shortId]), shortId);
    assert.deepEqual(Object.keys(await contentOf(shortId)).sort(), ["more.txt", "set/a.txt"]);
    const remembered = await device.shares.find(shortId);
    assert.ok(remembered?.deletionToken && remembered.claimToken);
    const single = await device.shares.find(await up(["more.txt"]));
    assert.ok(single?.deletionToken && single.claimToken);
    await using elsewhere = await makeDevice({ FILEHOST_SERVER: server.url });
    const refused = await elsewhere.run(["up", join(device.path, "more.txt"), "--into", shortId]);
    assert.deepEqual([refused.code, refused.stdout], [3, ""], refused.stderr);
  });

  /** client up, "Settings of the share". */
  test("sends the settings of a share, of one file and of a shipment, and prints its code and private link", async () => {
    await makeFiles({ "set2/a.txt": "a", "one.txt": "1" });
    const { key } = await addAccount(server);
    const env = { FILEHOST_KEY: key };
    for (const name of ["set2", "one.txt"]) {
      const args = ["up", name, "--protect", "--max-downloads", "3", "--expires", "2h", "--message", "Hi", "--run-id", "build-7"];
      const { code, stdout, stderr } = await device.run([...args, "--quiet"], { env });
      assert.equal(code, 0, stderr);
      const shortId = shortIdIn(stdout);
      const unlockCode = /^Unlock code: (\w{6})$/m.exec(stderr)?.[1] ?? assert.fail(stderr);
      assert.match(stderr, /^Private link, which needs no code: http.*\/h\/\w+/m);
      const share = await getShare(server, shortId);
      assert.ok(share.unlockRequired);
      assert.ok(Date.parse(share.expires_at ?? "") < Date.now() + 2.1 * 60 * 60 * 1000);
      const [file] = (await listFiles(server, key)).files.filter((one) => one.shortId === shortId);
      assert.equal(file?.runId, "build-7");
      assert.match(await signedUrl(server, file?.id ?? "", { unlockCode }), /^http/);
    }
  });

  test("prints lines of JSON", async () => {
    await makeFiles({ "json/a.txt": "a" });
    await symlink("missing", join(device.path, "json/broken"));
    const { code, stdout, stderr } = await device.run(["up", "json", "--follow-links", "--json"]);
    assert.deepEqual([code, stderr], [1, ""]);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; shortId?: string; fileCount?: number });
    assert.deepEqual(
      lines.map(({ type }) => type).filter((type) => type !== "progress"),
      ["failed", "link", "done"],
    );
    assert.equal(lines.at(-1)?.fileCount, 1);
    assert.equal(lines.at(-1)?.shortId, lines.find(({ type }) => type === "link")?.shortId);
    assert.doesNotMatch(stdout, /Token/);
  });

  test("explains wrong use", async () => {
    await makeFiles({ "a.txt": "a" });
    await chmod(join(device.path, "a.txt"), 0o600);
    await writeFile(Buffer.concat([Buffer.from(`${device.path}/lat`), Buffer.from([0xe9])]), "x");
    const cases: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
      [["missing.txt"], 4, /missing\.txt cannot be sent: It does not exist\./],
      [["/dev/null"], 2, /neither a file nor a folder/],
      [["-", "a.txt"], 2, /Standard input is sent alone/],
      [["a.txt", "--expires", "soon"], 2, /--expires: write a time such as .*, or never\./],
      [["a.txt", "--max-downloads", "0"], 2, /--max-downloads: give a whole number of at least 1/],
      [["a.txt", "a.txt", "--name", "b"], 2, /--name is for one file/],
      [["lat\uFFFD"], 4, /Its name is not valid UTF-8\. Rename it\./],
      [["a.txt", "--folder", "Reports"], 3, /Sign in: filehost login http/],
      [["a.txt", "--into", "unknown1"], 3, /was not opened on this device/],
    ];
    for (const [args, code, message] of cases) {
      const ended = await device.run(["up", ...args]);
      assert.deepEqual([ended.code, ended.stdout], [code, ""], `${args.join(" ")}: ${ended.stderr}`);
      assert.match(ended.stderr, message);
    }
  });

  /** client up, "What becomes of the arguments". */
  test("names files whose names are not UTF-8, in a folder and by a pattern of the shell, and sends the others", {
    skip: process.platform !== "linux",
  }, async () => {
    await using sender = await makeDevice({ FILEHOST_SERVER: server.url, PROGRAM });
    const made =
      "mkdir odd odd/sub; echo 1 > odd/ok.txt; echo 2 > odd/sub/in.txt; echo 3 > $'odd/\\xff\\xe4.txt'; echo 4 > $'odd/\\xef\\xbf\\xbd\\xef\\xbf\\xbd.txt'; mkdir $'odd/\\xe9'";
    const runShell = (line: string) => spawnSync("bash", ["-c", line], { cwd: sender.path, env: sender.env, encoding: "utf8" });
    assert.equal(runShell(made).status, 0);
    const folder = runShell('"$PROGRAM" up odd --no-resume');
    assert.equal(folder.status, 1, folder.stderr);
    for (const name of ["\\xff\\xe4.txt", "\\xe9"])
      assert.ok(folder.stderr.includes(`odd/${name}: Its name is not valid UTF-8. Rename it.`), folder.stderr);
    const sent = (await getShare(server, folder.stdout.trim().split("/").at(-1) ?? "")).data.files ?? [];
    assert.deepEqual(sent.map(({ name }) => name).toSorted(), ["in.txt", "ok.txt", "\uFFFD\uFFFD.txt"]);
    assert.equal(runShell("rm odd/$'\\xef\\xbf\\xbd\\xef\\xbf\\xbd.txt'").status, 0);
    const pattern = runShell('"$PROGRAM" up odd/* --no-resume');
    assert.equal(pattern.status, 1, pattern.stderr);
    assert.equal(pattern.stderr.split("Its name is not valid UTF-8. Rename it.").length, 3, pattern.stderr);
    assert.equal((await getShare(server, pattern.stdout.trim().split("/").at(-1) ?? "")).data.files?.length, 2);
    assert.equal(runShell(`"$PROGRAM" up $'odd/\\xff\\xe4.txt'`).status, 4);
  });
});
