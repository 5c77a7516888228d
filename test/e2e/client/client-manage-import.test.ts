import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { startTerminal } from "../../support/machine/terminal.ts";
import { sendFile, startOrigin } from "../../support/services/origin-server.ts";
import { until } from "../../support/until.ts";
import { type Account, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf } from "../support/api/api.ts";
import { type ClientDevice, makeDevice, type ServerWithDevice, siteOf, withDevice } from "../support/client/client-device.ts";
import { startImportingServer, startStalledOrigin } from "../support/shares/imports.ts";
import { createFileRequest, getRequest, tokenOf } from "../support/shares/requests.ts";

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}
interface Refused {
  readonly errorCode: string;
}

/** client manage, "Imports". */
describe("filehost import", () => {
  let server: ServerWithDevice<ServerWith<"owner" | "other">>;
  let device: ClientDevice;
  before(async () => {
    server = await withDevice(withAccounts(startImportingServer(), { owner: {}, other: {} }));
    ({ device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const as = ({ key }: Account) => ({ env: { FILEHOST_KEY: key } });
  const eventsIn = (stdout: string): readonly Event[] =>
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Event);
  const rememberedIn = async ({ path }: ClientDevice): Promise<readonly string[]> =>
    (await readdir(join(path, "state/filehost/imports")).catch(() => [])).map((name) => name.replace(".json", ""));

  test("fetches files and prints their links, with the settings of a share", async () => {
    await using origin = await startOrigin({
      "/a.txt": sendFile({ bytes: Buffer.from("first") }),
      "/b.txt": sendFile({ bytes: Buffer.from("second") }),
    });
    const one = await device.run(
      ["import", `${origin.url}/a.txt`, "--title", "Title", "--protect", "--file-name", "named.txt"],
      as(server.owner),
    );
    assert.equal(one.code, 0, one.stderr);
    const [, shortId = ""] = /^http.*\/d\/(\w+)\n$/.exec(one.stdout) ?? assert.fail(one.stdout);
    assert.match(one.stderr, /Unlock code: [2-9A-Z]{6}\n[\s\S]*Private link, which needs no code: http/);
    const share = await clientOf(server, { key: server.owner.key }).call("getShare", { shortId });
    assert.deepEqual([share.name, share.title, share.unlockRequired], ["named.txt", "Title", true]);

    const both = await device.run(
      ["import", `${origin.url}/a.txt`, `${origin.url}/missing.txt`, `${origin.url}/b.txt`, "--json"],
      as(server.owner),
    );
    assert.equal(both.code, 1);
    const events = eventsIn(both.stdout);
    assert.deepEqual(
      [events.filter(({ type }) => type === "import").length, events.filter(({ type }) => type === "completed").length],
      [3, 2],
    );
    const done = events.at(-1) as unknown as {
      type: string;
      imports: { source: string }[];
      failed: { source: string; errorCode: string }[];
    };
    assert.deepEqual([done.type, done.imports.length], ["done", 2]);
    assert.deepEqual(
      done.failed.map(({ source, errorCode }) => [source, errorCode]),
      [[`${origin.url}/missing.txt`, "REMOTE_REFUSED"]],
    );
    assert.deepEqual(await rememberedIn(device), []);
  });

  test("refuses imports that the server refuses, with their exit code", async () => {
    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [["http://10.0.0.1/file"], 2, "URL_NOT_ALLOWED"],
      [["no url"], 2, "VALIDATION_FAILED"],
      [["http://127.0.0.1:1/file"], 8, "REMOTE_UNREACHABLE"],
      [["0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"], 4, "NOT_FOUND"],
      [["0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e", "--cancel"], 4, "NOT_FOUND"],
      [["http://127.0.0.1:1/file", "--cancel"], 2, "VALIDATION_FAILED"],
    ];
    for (const [args, code, expected] of cases) {
      const ended = await device.run(["import", ...args, "--json"], as(server.owner));
      assert.equal(ended.code, code, ended.stderr);
      assert.equal((JSON.parse(ended.stderr) as Refused).errorCode, expected);
    }
    const wrong = await device.run(["import", "http://127.0.0.1:1/file"], { env: { FILEHOST_KEY: "bc_wrong" } });
    assert.equal(wrong.code, 3);
  });

  test("an anonymous import is remembered as a share of the device", async () => {
    await using origin = await startOrigin({ "/a.txt": sendFile({ bytes: Buffer.from("anonymous") }) });
    await using own = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
    const { stdout, stderr } = await own.run(["import", `${origin.url}/a.txt`, "--json"]);
    assert.doesNotMatch(stdout + stderr, /claim_|del_|job_/);
    const [share] = await own.shares.list();
    assert.deepEqual([share?.name, share?.sizeBytes, share?.fileIds.length], ["a.txt", 9, 1]);
    assert.equal((await own.run(["rm", share?.shortId ?? ""])).code, 0);
  });

  test("sends files to a request in one submission, without a key, and prints the receipt", async () => {
    await using origin = await startOrigin({
      "/a.txt": sendFile({ bytes: Buffer.from("first") }),
      "/b.txt": sendFile({ bytes: Buffer.from("second") }),
    });
    const request = await createFileRequest(server, server.owner.key, { protect: true });
    const link = `${siteOf(server)}/r/${tokenOf(request)}`;
    const to = (...args: readonly string[]) => ["import", `${origin.url}/a.txt`, "--request", link, ...args];
    await using own = await makeDevice();
    const sent = await own.run(
      [...to("--sender-name", "Ada", "--sender-note", "Both."), `${origin.url}/b.txt`, "--code", request.unlockCode ?? "", "--json"],
      { env: { FILEHOST_KEY: "bc_wrong" } },
    );
    assert.equal(sent.code, 0, sent.stderr);
    const done = eventsIn(sent.stdout).at(-1) as unknown as { readonly imports: readonly { readonly url: string }[] };
    const receipts = new Set(done.imports.map(({ url }) => url));
    assert.equal(receipts.size, 1);
    const { submissions } = await getRequest(server, server.owner.key, request.id);
    assert.deepEqual(
      submissions.map(({ senderName, senderNote, files }) => [senderName, senderNote, files.map(({ name }) => name).sort()]),
      [["Ada", "Both.", ["a.txt", "b.txt"]]],
    );
    const [receipt = ""] = receipts;
    assert.equal((await fetch(server.url + new URL(receipt).pathname, { headers: { Accept: "text/html" } })).status, 200);
    assert.deepEqual([await own.shares.list(), await rememberedIn(own)], [[], []]);

    const cases: readonly (readonly [readonly string[], string])[] = [
      [to("--code", "AAAAAA"), "UNLOCK_INVALID"],
      [to("--title", "Title"), "VALIDATION_FAILED"],
      [to("--folder", "Reports"), "VALIDATION_FAILED"],
      [["import", `${origin.url}/a.txt`, "--sender-name", "Ada"], "VALIDATION_FAILED"],
      [["import", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e", "--request", link], "VALIDATION_FAILED"],
    ];
    for (const [args, expected] of cases) {
      const ended = await own.run([...args, "--json"]);
      assert.equal((JSON.parse(ended.stderr) as Refused).errorCode, expected);
    }
    assert.equal((await getRequest(server, server.owner.key, request.id)).submissions.length, 1);
  });

  test("refuses a request that is encrypted end to end, before anything is sent", async () => {
    const encryptTo = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
    const request = await createFileRequest(server, server.owner.key, { encryptTo });
    const link = `${siteOf(server)}/r/${tokenOf(request)}`;
    const ended = await device.run(["import", "http://127.0.0.1:1/file", "--request", link, "--json"]);
    assert.equal((JSON.parse(ended.stderr) as Refused).errorCode, "ENCRYPTION_REQUIRED");
  });

  test("Ctrl-C leaves the import running, and its ID follows or cancels it", async () => {
    await using origin = await startStalledOrigin();
    await using own = await makeDevice();
    const start = () => startTerminal(["import", `${origin.url}/a`, "--url", siteOf(server)], { cwd: own.path, env: own.env });
    await using terminal = start();
    await terminal.waitFor("600 bytes of 1 KB");
    terminal.press("ctrl-c");
    assert.equal(await terminal.ended(), 130);
    const [, jobId = ""] = /^Follow it: filehost import ([0-9a-f-]+)$/m.exec(terminal.screen()) ?? assert.fail(terminal.screen());
    assert.deepEqual(await rememberedIn(own), [jobId]);
    // The device remembers the server and the secret.
    const following = own.start(["import", jobId, "--json"]);
    const closed = once(following, "close");
    const [progress] = (await once(following.stdout ?? assert.fail(), "data")) as [Buffer];
    assert.match(String(progress), /"type":"import"/);
    const other = await device.run(["import", jobId, "--cancel"], as(server.other));
    assert.equal(other.code, 4);
    const cancelled = await own.run(["import", jobId, "--cancel"]);
    assert.deepEqual([cancelled.code, cancelled.stdout], [0, `${jobId}\n`]);
    const [code] = (await closed) as [number];
    assert.equal(code, 6);
    assert.deepEqual(await rememberedIn(own), []);
  });

  test("--no-wait prints the ID, with which the import is followed after the server was restarted", async () => {
    let isOpen = false;
    await using origin = await startOrigin({
      "/slow.bin": (_, response) => {
        response.writeHead(200, { "content-length": "2000", "content-type": "application/octet-stream" });
        response.write(Buffer.alloc(500, "a"));
        const timer = setInterval(() => {
          if (!isOpen) return;
          clearInterval(timer);
          response.end(Buffer.alloc(1500, "b"));
        }, 20);
        response.on("close", () => clearInterval(timer));
      },
    });
    const begun = await device.run(["import", `${origin.url}/slow.bin`, "--no-wait"], as(server.owner));
    const jobId = begun.stdout.trim();
    const { key } = server.owner;
    await until("bytes have arrived", async () => (await clientOf(server, { key }).call("getImport", { jobId })).data.bytesDone >= 500);
    const port = new URL(server.url).port;
    const following = device.start(["import", jobId], as(server.owner));
    let stdout = "";
    following.stdout?.on("data", (chunk) => {
      stdout += chunk;
    });
    let stderr = "";
    following.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    await server.restart({ signal: "SIGKILL", env: { FILEHOST_LISTEN: `127.0.0.1:${port}` } });
    isOpen = true;
    const [code] = (await once(following, "close")) as [number];
    assert.deepEqual([code, /\/d\/\w+\n$/.test(stdout)], [0, true], stderr);
  });
});
