import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Encrypter } from "age-encryption";
import { readFragmentKey } from "../../../src/transfer/encryption/fragment-key.ts";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { wrapName } from "../../../src/transfer/encryption/wrapped-name.ts";
import { startTerminal } from "../../support/machine/terminal.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { clientOf, getShare, postUpload, signedUrl } from "../support/api/api.ts";
import { type ClientDevice, type ServerWithDevice, withDevice } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { MB, someBytes } from "../support/uploads/multipart.ts";

const age = (args: readonly string[], input?: Uint8Array) => spawnSync("age", args, { input, maxBuffer: 256 * MB });
const ageMissing = age(["--version"]).status === 0 ? undefined : "the program age is not installed";

/** encryption, "Sending". */
describeUnless(ageMissing, "filehost up --encrypt", () => {
  let server: ServerWithDevice;
  let device: ClientDevice;
  before(async () => {
    server = await withDevice(startPlainServer(), ({ url }) => ({ FILEHOST_SERVER: url }));
    ({ device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function up(args: readonly string[], options: Parameters<ClientDevice["run"]>[1] = {}): Promise<URL> {
    const { code, stdout, stderr } = await device.run(["up", ...args], options);
    assert.equal(code, 0, stderr);
    return new URL(stdout.trim());
  }

  const shortIdOf = (link: URL): string => link.pathname.slice("/d/".length);

  async function fetchBytes(fileId: string): Promise<Uint8Array> {
    return new Uint8Array(await (await fetch(await signedUrl(server, fileId))).arrayBuffer());
  }

  /** Decrypts with the reference program. */
  async function decrypt(bytes: Uint8Array, identity: string | undefined): Promise<Buffer> {
    const path = join(device.path, "identity.txt");
    await writeFile(path, `${identity}\n`);
    const { status, stdout, stderr } = age(["-d", "-i", path], bytes);
    assert.equal(status, 0, stderr.toString());
    return stdout;
  }

  async function checkFile(link: URL, name: string, bytes: string | Uint8Array, identity = readFragmentKey(link.hash)): Promise<void> {
    const share = await getShare(server, shortIdOf(link));
    assert.deepEqual([share.name, share.encrypted], [name, true]);
    assert.deepEqual(await decrypt(await fetchBytes(share.id), identity), Buffer.from(bytes));
  }

  /** encryption, "Sending". */
  test("names that are too long for another extension keep their own, and stay different", async () => {
    const names = [`${"e".repeat(251)}.txt`, `${"e".repeat(250)}f.txt`, `${"文".repeat(82)}.tar.gz`, "b".repeat(255)];
    for (const name of names) await device.makeFile(`long/${name}`, name);
    for (const name of names.slice(0, 1)) {
      const link = await up([`long/${name}`, "--encrypt"]);
      assert.equal((await device.run(["down", link.href, "-C", "one"])).code, 0);
      assert.deepEqual(await readdir(join(device.path, "one")), [`${"e".repeat(247)}.txt`]);
    }
    const sent = await device.run(["up", "long", "--encrypt", "--title", "all"]);
    assert.match(sent.stderr, /4 names changed for the share: /);
    const link = new URL(sent.stdout.trim());
    const saved = await device.run(["down", link.href, "-o", "all"]);
    assert.equal(saved.code, 0, saved.stderr);
    const folder = join(device.path, "all");
    const found = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const contents = await Promise.all(found.map((entry) => readFile(join(entry.parentPath, entry.name), "utf8")));
    assert.deepEqual(contents.sort(), [...names].sort());
    assert.deepEqual(found.map(({ name }) => /\.(?:txt|gz)$/.exec(name)?.[0] ?? "").sort(), ["", ".gz", ".txt", ".txt"]);
  });

  test("encrypts small, empty and large files, and prints links with their keys, which the device remembers", async () => {
    const large = someBytes(9 * MB + 5, 2);
    for (const [name, bytes] of Object.entries({ "note.txt": "hello", "empty.txt": "", "large.bin": large })) {
      await device.makeFile(name, bytes);
      const link = await up([name, "--encrypt"]);
      await checkFile(link, `${name}.age`, bytes);
      const share = await device.shares.find(shortIdOf(link));
      assert.equal(share?.fragmentKey, link.hash.slice(1));
    }
    const folder = join(device.path, "state", "filehost", "shares");
    for (const name of await readdir(folder)) assert.equal((await stat(join(folder, name))).mode & 0o077, 0);
    assert.deepEqual(
      (await readdir(join(device.path, "state", "filehost", "encryption"))).filter((name) => name.endsWith(".json")),
      [],
    );
    const secret = (await device.shares.list()).map(({ fragmentKey = "" }) => fragmentKey.slice(-40));
    assert.ok(secret.every((key) => key !== "" && !JSON.stringify(server.logs()).includes(key)));
  });

  test("encrypts for the owners of keys, also for a file of keys", async () => {
    const [one, two] = [await createShareKey(), await createShareKey()];
    await device.makeFile("plan.txt", "the plan");
    await device.makeFile("keys.txt", `# the team\n${two.recipient}\n\n`);
    const link = await up(["plan.txt", "--recipient", one.recipient, "--recipient", "keys.txt"]);
    assert.equal(link.hash, "");
    for (const { identity } of [one, two]) await checkFile(link, "plan.txt.age", "the plan", identity);
    const { code, stderr } = await device.run(["up", "plan.txt", "--recipient", "age1nonsense"]);
    assert.deepEqual([code, /A recipient is not an age public key/.test(stderr)], [2, true]);
  });

  test("asks for the passphrase twice without showing it, and asks again for decryption after a wrong one", async () => {
    await device.makeFile("plan.txt", "the plan");
    await using terminal = startTerminal(["up", "plan.txt", "--passphrase"], { cwd: device.path, env: device.env });
    await terminal.waitFor("Passphrase: ");
    terminal.type("correct horse\r");
    await terminal.waitFor("The same again: ");
    terminal.type("wrong\r");
    await terminal.waitFor(/They differ[\s\S]*Passphrase: /);
    terminal.type("correct horse\r");
    await terminal.waitFor("The same again: ");
    terminal.type("correct horse\r");
    assert.equal(await terminal.ended(), 0);
    assert.ok(!terminal.output().includes("correct horse"));

    const [link = assert.fail(terminal.output())] = /http:\/\/\S+\/d\/\w+/.exec(terminal.output()) ?? [];
    await using down = startTerminal(["down", link, "--folder", "asked"], { cwd: device.path, env: device.env });
    await down.waitFor("Passphrase or key");
    down.type("wrong\r");
    await down.waitFor("It does not match");
    down.type("correct horse\r");
    assert.equal(await down.ended(), 0);
    assert.equal(await readFile(join(device.path, "asked", "plan.txt"), "utf8"), "the plan");
    assert.ok(!down.output().includes("correct horse"));
  });

  test("hides the names of files, which tar restores", async () => {
    await device.makeFile("docs/Größe.txt", "one");
    await device.makeFile("docs/deep/b.bin", someBytes(5 * MB, 3));
    const link = await up(["docs", "--encrypt-name"]);
    const { files } = await getShare(server, shortIdOf(link));
    assert.equal(files?.length, 2);
    const restored = join(device.path, "restored");
    await mkdir(restored);
    for (const { id, name, relativePath, encrypted } of files ?? []) {
      assert.match(name, /^encrypted-[0-9a-f]{16}\.tar\.age$/);
      assert.deepEqual([relativePath, encrypted], [name, true]);
      const { status, stderr } = spawnSync("tar", ["x", "-C", restored], {
        input: await decrypt(await fetchBytes(id), readFragmentKey(link.hash)),
        env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
      });
      assert.equal(status, 0, stderr.toString());
    }
    assert.equal(await readFile(join(restored, "docs/Größe.txt"), "utf8"), "one");
    assert.deepEqual(new Uint8Array(await readFile(join(restored, "docs/deep/b.bin"))), new Uint8Array(someBytes(5 * MB, 3)));
  });

  test("encrypts standard input as it is read", async () => {
    const link = await up(["-", "--name", "words.txt", "--encrypt"], { input: "some words".repeat(50_000) });
    await checkFile(link, "words.txt.age", "some words".repeat(50_000));
    const { code, stderr } = await device.run(["up", "-", "--encrypt-name"], { input: "words" });
    assert.deepEqual([code, /--encrypt-name is for files/.test(stderr)], [2, true]);
  });

  test("continues after it was killed, with the same key and bytes", async () => {
    const large = someBytes(48 * MB, 7);
    await device.makeFile("film.bin", large);
    await device.makeFile("trip/a.txt", "a");
    await device.makeFile("trip/film.bin", large.subarray(0, 30 * MB));
    for (const source of ["film.bin", "trip"]) {
      const child = device.start(["up", source, "--encrypt"]);
      const closed = once(child, "close");
      let printed = "";
      child.stdout?.on("data", (chunk) => {
        printed += chunk;
      });
      await until("the link is printed", () => printed.includes("\n"));
      const shortId = shortIdOf(new URL(printed.trim()));
      await until("a part is stored", async () => ((await getShare(server, shortId)).receivedBytes ?? 0) >= MB);
      child.kill("SIGKILL");
      await closed;
      const link = await up([source, "--encrypt"]);
      assert.equal(link.href, new URL(printed.trim()).href);
      if (source === "film.bin") await checkFile(link, "film.bin.age", large);
      const film = (await getShare(server, shortId)).files?.find(({ name }) => name === "film.bin.age");
      if (film)
        assert.deepEqual(await decrypt(await fetchBytes(film.id), readFragmentKey(link.hash)), Buffer.from(large.subarray(0, 30 * MB)));
    }
  });

  /** encryption, "Fetching". */
  describe("filehost down", () => {
    let folders = 0;
    async function down(args: readonly string[], options: Parameters<ClientDevice["run"]>[1] = {}) {
      folders += 1;
      const folder = `got-${folders}`;
      const ended = await device.run(["down", ...args, "--folder", folder], options);
      const found = await readdir(join(device.path, folder), { recursive: true, withFileTypes: true });
      const files = found.filter((entry) => entry.isFile());
      const content = await Promise.all(
        files.map(async ({ parentPath, name }) => [
          join(parentPath, name).slice(join(device.path, folder).length + 1),
          await readFile(join(parentPath, name), "latin1"),
        ]),
      );
      return { ...ended, content: Object.fromEntries(content) as Record<string, string> };
    }

    test("decrypts with the key of the link, of the remembered share, of a file, and with a passphrase", async () => {
      const { identity, recipient } = await createShareKey();
      await device.makeFile("plan.txt", "the plan");
      await device.makeFile("me.txt", `# created: today\n# public key: ${recipient}\n${identity}\n`);
      const link = await up(["plan.txt", "--encrypt"]);
      const forMe = await up(["plan.txt", "--recipient", recipient]);
      const hidden = await up(["plan.txt", "--encrypt-name"]);
      const env = { FILEHOST_PASSPHRASE: "a long passphrase" };
      const secret = await up(["plan.txt", "--passphrase"], { env });
      assert.equal(secret.hash, "");
      const { id } = await getShare(server, shortIdOf(secret));
      assert.match(Buffer.from(await fetchBytes(id)).toString("latin1"), /^age-encryption\.org\/v1\n-> scrypt /);
      for (const [args, options] of [
        [[link.href], {}],
        [[shortIdOf(link)], {}],
        [[hidden.href], {}],
        [[forMe.href, "--identity", "me.txt"], {}],
        [[secret.href], { env }],
      ] as const) {
        const { code, stderr, content } = await down(args, options);
        assert.deepEqual([code, content], [0, { "plan.txt": "the plan" }], stderr);
      }
      const { code, stdout } = await device.run(["down", link.href, "-o", "-"]);
      assert.deepEqual([code, stdout], [0, "the plan"]);
      const { id: fileId } = await getShare(server, shortIdOf(forMe));
      const signed = await signedUrl(server, fileId);
      const [counted] = (await clientOf(server).call("getFileInfo", { file_code: shortIdOf(forMe) })).result;
      for (const name of [forMe.href, fileId, signed]) {
        const refused = await device.run(["down", name, "-o", "-"]);
        assert.deepEqual([refused.code, refused.stdout], [2, ""], name);
        assert.match(refused.stderr, /This file is encrypted, and there is no key for it\. .*--keep-encrypted/);
        if (name === forMe.href)
          assert.deepEqual((await clientOf(server).call("getFileInfo", { file_code: shortIdOf(forMe) })).result, [counted]);
      }
      for (const name of [forMe.href, fileId]) {
        const asked = await device.run(["down", name, "-o", "-", "--keep-encrypted"]);
        assert.deepEqual([asked.code, asked.stdout.split("\n")[0]], [0, "age-encryption.org/v1"]);
      }
      assert.deepEqual(Object.keys((await down([link.href, "--keep-encrypted"])).content), ["plan.txt.age"]);
      const kept = await down([forMe.href]);
      assert.deepEqual([kept.code, Object.keys(kept.content)], [0, ["plan.txt.age"]]);
      assert.match(kept.stderr, /saved as they are/);
    });

    test("decrypts files that the program age encrypted, also as text, as one file, in a shipment and to standard output", async () => {
      const { identity, recipient } = await createShareKey();
      await device.makeFile("me.txt", `${identity}\n`);
      const bytes = Buffer.from(someBytes(3 * MB + 1, 9));
      for (const [name, options] of Object.entries({ "text.bin.age": ["-a"], "binary.bin.age": [] })) {
        const { status, stdout } = age([...options, "-r", recipient], bytes);
        assert.equal(status, 0);
        await device.makeFile(`from-age/${name}`, stdout);
        const link = await up([`from-age/${name}`]);
        const { code, stderr, content } = await down([link.href, "--identity", "me.txt"]);
        const plainName = name.replace(".age", "");
        assert.deepEqual([code, Object.keys(content)], [0, [plainName]], stderr);
        assert.ok(Buffer.from(content[plainName] ?? "", "latin1").equals(bytes));
        const piped = await device.run(["down", `${link.href}#key=${identity}`, "-o", "-"]);
        assert.equal(piped.code, 0, piped.stderr);
        assert.equal(piped.stdout, bytes.toString());
      }
      const { code, stderr, content } = await down([(await up(["from-age"])).href, "--identity", "me.txt"]);
      assert.equal(code, 0, stderr);
      for (const got of Object.values(content)) assert.ok(Buffer.from(got, "latin1").equals(bytes));
      assert.deepEqual(
        Object.keys(content)
          .map((path) => path.replace(/^.*\//, ""))
          .sort(),
        ["binary.bin", "text.bin"],
      );
    });

    test("ends with an error and leaves nothing after a wrong key, and with damaged or incomplete bytes", async () => {
      await device.makeFile("plan.txt", "the plan".repeat(30_000));
      const link = await up(["plan.txt", "--encrypt"]);
      const sealed = await fetchBytes((await getShare(server, shortIdOf(link))).id);
      const other = await createShareKey();
      const wrong = await down([`${link.origin}${link.pathname}#key=${other.identity}`]);
      assert.deepEqual([wrong.code, wrong.content], [2, {}], wrong.stderr);
      assert.match(wrong.stderr, /does not match this file\. Nothing was saved/);
      const flipped = sealed.map((byte, index) => (index === 150_000 ? byte ^ 1 : byte));
      for (const bytes of [flipped, sealed.slice(0, -100), sealed.slice(0, sealed.length - 240_000 + 3 * 65_536)]) {
        const sent = (await postUpload(server, { bytes: new Uint8Array(bytes), name: "plan.txt.age" })).body.data;
        const { code, stderr, content } = await down([`${sent.shareUrl}${link.hash}`]);
        assert.deepEqual([code, content], [2, {}], stderr);
        assert.match(stderr, /damaged or incomplete\. Nothing was saved/);
        const piped = await device.run(["down", `${sent.shareUrl}${link.hash}`, "-o", "-"]);
        assert.equal(piped.code, 2);
        assert.match(piped.stderr, /damaged or incomplete\. Do not use the bytes that were written/);
      }
    });

    test("keeps decrypted files that an earlier download has saved, and downloads those again that were changed", async () => {
      await device.makeFile("tale.txt", "once");
      await device.makeFile("tales/a.txt", "one");
      await device.makeFile("tales/b.txt", "two");
      for (const [index, [path, option]] of ["tale.txt", "tales"]
        .flatMap((path) => ["--encrypt", "--encrypt-name"].map((o) => [path, o]))
        .entries()) {
        const link = await up([path ?? "", option ?? ""]);
        const folder = join(device.path, `again-${index}`);
        const read = async (): Promise<Record<string, string>> => {
          const found = await readdir(folder, { recursive: true, withFileTypes: true });
          const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
          return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")])));
        };
        const fetched = async (): Promise<string> => {
          const { code, stderr } = await device.run(["down", link.href, "--folder", folder]);
          assert.equal(code, 0, stderr);
          return stderr;
        };
        await fetched();
        const saved = await read();
        assert.deepEqual(Object.values(saved).sort(), path === "tales" ? ["one", "two"] : ["once"]);
        assert.match(await fetched(), /complete already/);
        assert.deepEqual(await read(), saved);
        const [first = ""] = Object.keys(saved);
        await rm(first);
        await fetched();
        assert.deepEqual(await read(), saved);
      }
    });

    test("decrypts the files of a shipment, also with hidden names, which never lead out of its folder", async () => {
      await device.makeFile("notes/a.txt", "one");
      await device.makeFile("notes/deep/b.txt", "two");
      for (const options of [["--encrypt"], ["--encrypt-name"]]) {
        const link = await up(["notes", ...options, "--title", "Notes"]);
        const { code, stderr, content } = await down([link.href]);
        const folder = `Notes-${shortIdOf(link)}`;
        assert.deepEqual([code, content], [0, { [`${folder}/notes/a.txt`]: "one", [`${folder}/notes/deep/b.txt`]: "two" }], stderr);
      }
      const { identity, recipient } = await createShareKey();
      const { before, after } = wrapName({ name: "../../evil.txt", sizeBytes: 3, modifiedMs: 0, isExecutable: false });
      const encrypter = new Encrypter();
      encrypter.addRecipient(recipient);
      const bytes = new Uint8Array(await encrypter.encrypt(Buffer.concat([before, Buffer.from("bad"), after])));
      const { shareUrl } = (await postUpload(server, { bytes, name: "x.tar.age" })).body.data;
      const { code, content } = await down([`${shareUrl}#key=${identity}`]);
      assert.deepEqual([code, content], [0, { "evil.txt": "bad" }]);
    });
  });
});
