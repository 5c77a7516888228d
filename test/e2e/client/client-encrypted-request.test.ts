import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { describeUnless } from "../../support/suite.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { createFileRequest, getRequest, tokenOf } from "../support/shares/requests.ts";
import { MB, someBytes } from "../support/uploads/multipart.ts";

const ageMissing = spawnSync("age", ["--version"]).status === 0 ? undefined : "the program age is not installed";
const HIDDEN_NAME = /^encrypted-[0-9a-f]{16}\.tar\.age$/;

interface CreatedRequest {
  readonly id: string;
  readonly url: string;
  readonly encryptTo: string | null;
}

/** requests, "Encrypted requests"; client up, "Sending to a request". */
describeUnless(ageMissing, "the client and encrypted requests", () => {
  let server: ServerWith<"owner">;
  let owner: ClientDevice;
  let sender: ClientDevice;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
    owner = await makeDevice({ FILEHOST_SERVER: server.url, FILEHOST_KEY: server.owner.key });
    sender = await makeDevice();
  });
  after(async () => {
    for (const part of [owner, sender, server]) await part?.[Symbol.asyncDispose]();
  });

  const create = (...args: string[]): Promise<CreatedRequest> => owner.runJson<CreatedRequest>(["requests", "create", "Records", ...args]);

  async function receivedOf({ id }: Pick<CreatedRequest, "id">) {
    const { submissions } = await getRequest(server, server.owner.key, id);
    return submissions.flatMap(({ files }) => files);
  }

  test("the owner makes a key, a stranger sends with the link alone, and the owner, or age, decrypts", async () => {
    const { code, stdout, stderr } = await owner.run(["requests", "create", "Records", "--identity", "my-key.txt"]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /A new key is in my-key\.txt\. Keep it/);
    const link = /^link\s+(\S+)$/m.exec(stdout)?.[1] ?? assert.fail(stdout);
    const keyFile = join(owner.path, "my-key.txt");
    assert.equal((await stat(keyFile)).mode & 0o077, 0);
    const [, recipient = ""] = /^# public key: (age1\w+)$/m.exec(await readFile(keyFile, "utf8")) ?? [];
    assert.equal(new URL(link).hash, `#to=${recipient}`);
    assert.match(stdout, new RegExp(`^encrypted to +${recipient}$`, "m"));

    const large = someBytes(9 * MB);
    await sender.makeFile("secret plan/large.bin", large);
    await sender.makeFile("secret plan/note.txt", "hello");
    await using proxy = await startFaultyProxy(server.url);
    const seen: string[] = [];
    proxy.decide = ({ url, headers }) => void seen.push(`${url} ${JSON.stringify(headers)}`);
    const sent = await sender.run(["up", "secret plan", "--request", link.replace(/^.*(?=\/r\/)/, proxy.url)]);
    assert.equal(sent.code, 0, sent.stderr);
    assert.match(sent.stderr, /Encrypted: only the owner of the request can read the files and their names\./);
    assert.ok(seen.length > 0);
    assert.doesNotMatch(seen.join("\n"), /secret|plan|large\.bin|note\.txt|#/);

    const [request] = (await owner.runJson<{ id: string; url: string }[]>(["requests", "list"])).filter(({ url }) => url === link);
    const received = await receivedOf(request ?? assert.fail());
    assert.equal(received.length, 2);
    for (const { name, encrypted } of received) {
      assert.match(name, HIDDEN_NAME);
      assert.ok(encrypted);
    }

    const down = await owner.run(["down", received[0]?.shareUrl ?? "", "--identity", "my-key.txt", "-o", "received"]);
    assert.equal(down.code, 0, down.stderr);
    assert.deepEqual(await readFile(join(owner.path, "received/secret plan/large.bin")), Buffer.from(large));
    assert.equal(await readFile(join(owner.path, "received/secret plan/note.txt"), "utf8"), "hello");

    const small = received.find(({ size }) => size < MB) ?? assert.fail();
    const kept = await owner.run(["down", small.id, "--keep-encrypted", "-o", "small.age"]);
    assert.equal(kept.code, 0, kept.stderr);
    const decrypted = spawnSync("age", ["-d", "-i", keyFile, join(owner.path, "small.age")]);
    assert.equal(decrypted.status, 0, decrypted.stderr.toString());
    assert.equal(spawnSync("tar", ["xO"], { input: decrypted.stdout }).stdout.toString(), "hello");
  });

  test("a key that age-keygen has written is used again, also for several requests, and with --encrypt-to", async () => {
    const keyFile = join(owner.path, "age.txt");
    assert.equal(spawnSync("age-keygen", ["-o", keyFile]).status, 0);
    const recipient = spawnSync("age-keygen", ["-y", keyFile]).stdout.toString().trim();
    for (const args of [
      ["--identity", keyFile],
      ["--encrypt-to", recipient],
    ])
      assert.equal((await create(...args)).encryptTo, recipient);
    const before = await readFile(keyFile, "utf8");
    const both = await owner.run(["requests", "create", "Records", "--identity", keyFile, "--encrypt-to", recipient]);
    assert.equal(both.code, 2);
    assert.match(both.stderr, /--encrypt-to or --identity, not both/);
    await writeFile(join(owner.path, "empty.txt"), "nothing\n");
    const none = await owner.run(["requests", "create", "Records", "--identity", "empty.txt"]);
    assert.equal(none.code, 2);
    assert.match(none.stderr, /There is no key in empty\.txt/);
    assert.equal(await readFile(keyFile, "utf8"), before);
  });

  test("another key in the link than the server's sends nothing, nor does a damaged one, or a request without a key", async () => {
    const { recipient } = await createShareKey();
    const other = (await createShareKey()).recipient;
    const encrypted = await createFileRequest(server, server.owner.key, { encryptTo: recipient });
    const plain = await createFileRequest(server, server.owner.key);
    await sender.makeFile("note.txt", "hello");
    for (const [request, fragment, expected] of [
      [encrypted, `#to=${other}`, /another key than the link\. Nothing was sent/],
      [plain, `#to=${recipient}`, /another key than the link\. Nothing was sent/],
      [encrypted, `#to=${recipient.slice(0, -1)}`, /key in the link is damaged/],
    ] as const) {
      const link = `${server.url}/r/${tokenOf(request)}${fragment}`;
      const { code, stderr } = await sender.run(["up", "note.txt", "--request", link]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, expected);
      assert.deepEqual(await receivedOf(request), []);
    }
    const typed = await sender.run(["up", "note.txt", "--request", `${server.url}/r/${tokenOf(encrypted)}`]);
    assert.equal(typed.code, 0, typed.stderr);
    assert.deepEqual(
      (await receivedOf(encrypted)).map(({ encrypted }) => encrypted),
      [true],
    );
  });

  test("standard input, and options that encrypt for others, are refused", async () => {
    const { recipient } = await createShareKey();
    const request = await createFileRequest(server, server.owner.key, { encryptTo: recipient });
    const link = ["--request", request.requestUrl.replace(/^.*(?=\/r\/)/, server.url)];
    for (const [args, input, expected] of [
      [["-", "--name", "dump.txt", ...link], "bytes", /Save standard input to a file/],
      [["note.txt", "--recipient", recipient, ...link], undefined, /has its own key/],
    ] as const) {
      const { code, stderr } = await sender.run(["up", ...args], input === undefined ? {} : { input });
      assert.equal(code, 2, stderr);
      assert.match(stderr, expected);
    }
    assert.deepEqual(await receivedOf(request), []);
  });
});
