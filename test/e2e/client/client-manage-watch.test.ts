import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { startTerminal } from "../../support/machine/terminal.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { authorize, clientOf, upload } from "../support/api/api.ts";
import {
  type ClientDevice,
  makeDevice,
  rememberUpload,
  type ServerWithDevice,
  siteOf,
  withDevice,
} from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

interface Event {
  readonly type: string;
  readonly shortId?: string;
  readonly state?: string;
  readonly downloads?: number;
  readonly lastDownloads?: readonly { readonly client: string | null }[];
}

/** The events that a client prints, one after another. */
function eventsOf(child: ChildProcess): () => Promise<Event> {
  const lines = createInterface({ input: child.stdout ?? assert.fail() })[Symbol.asyncIterator]();
  return async () => {
    const { value } = await lines.next();
    return JSON.parse(String(value)) as Event;
  };
}

/** client manage, "Watching shares". */
describe("filehost watch", () => {
  let server: ServerWithDevice<ServerWith<"owner" | "other">>;
  let device: ClientDevice;
  before(async () => {
    server = await withDevice(withAccounts(startPlainServer(), { owner: {}, other: {} }));
    ({ device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  test("shows downloads, a changed expiry and the end of remembered shares, and then exits", async () => {
    const sent = await upload(server, { name: "seen.txt", bytes: "seen" });
    await rememberUpload(device, server, sent);
    const watching = device.start(["watch", "--every", "1s", "--json"]);
    const closed = once(watching, "close");
    const next = eventsOf(watching);
    const first = await next();
    assert.deepEqual([first.type, first.shortId, first.state, first.downloads], ["share", sent.shortId, "active", 0]);
    await authorize(server, sent.id);
    const downloaded = await next();
    assert.deepEqual([downloaded.type, downloaded.downloads, downloaded.lastDownloads], ["downloaded", 1, []]);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    await clientOf(server).call("updateShareSettings", { shortId: sent.shortId, claimToken: sent.claimToken, expiresAt });
    assert.deepEqual((await next()).type, "expiryChanged");
    await clientOf(server).call("deleteFile", { fileId: sent.id, token: sent.deletionToken });
    assert.deepEqual([(await next()).type, (await next()).type], ["ended", "done"]);
    const [code] = (await closed) as [number];
    assert.equal(code, 0);
  });

  test("shows the shares of the account, new ones and the programs of downloads in a terminal, until Ctrl-C", async () => {
    const { key } = server.owner;
    const first = await upload(server, { name: "first.txt", bytes: "first" }, { key });
    await using terminal = startTerminal(["watch", "--every", "1s"], {
      cwd: device.path,
      env: { ...device.env, FILEHOST_KEY: key },
      columns: 200,
    });
    await terminal.waitFor(`${first.shortId}  ready, expires`);
    const second = await upload(server, { name: "second.txt", bytes: "second", fields: { once: "true" } }, { key });
    await terminal.waitFor(`${second.shortId}  ready, expires`);
    await authorize(server, first.id);
    await terminal.waitFor(new RegExp(`${first.shortId}  Downloaded by \\w+, 1 so far: first\\.txt`));
    await clientOf(server, { key }).call("closeShare", { shortId: second.shortId });
    await terminal.waitFor(`${second.shortId}  Ended, expired: second.txt`);
    terminal.press("ctrl-c");
    assert.equal(await terminal.ended(), 130);
  });

  test("continues after the server was restarted, and reports it", async () => {
    const sent = await upload(server, { bytes: "again" }, { key: server.other.key });
    await using terminal = startTerminal(["watch", sent.shortId, "--every", "1s"], { cwd: device.path, env: device.env, columns: 200 });
    await terminal.waitFor(`${sent.shortId}  ready`);
    const { port } = new URL(server.url);
    await server.kill();
    await terminal.waitFor("Trying again.");
    await server.restart({ env: { FILEHOST_LISTEN: `127.0.0.1:${port}` } });
    await authorize(server, sent.id);
    await terminal.waitFor(`${sent.shortId}  Downloaded, 1 download so far`);
  });

  test("refuses unknown shares", async () => {
    const cases: readonly (readonly [readonly string[], number])[] = [
      [["watch", "zzzzzzzz"], 4],
      [["watch", "zzzzzzzzzzzzzzzz"], 3],
      [["watch", "--every", "0s"], 2],
      [["watch", "--every", "5"], 2],
      [["watch", "--key-file", "missing"], 4],
    ];
    await using empty = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
    for (const [args, code] of cases) assert.equal((await empty.run(args)).code, code, args.join(" "));
    assert.match((await empty.run(["watch"])).stderr, /remembers no shares/);
    assert.doesNotMatch((await empty.run(["watch", "zzzzzzzz"])).stderr, /Watching/);
  });
});
