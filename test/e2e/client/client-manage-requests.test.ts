import assert from "node:assert/strict";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Output } from "../../../src/service/contract.ts";
import { startTerminal } from "../../support/machine/terminal.ts";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { upload } from "../support/api/api.ts";
import { type ClientDevice, rememberUpload, type ServerWithDevice, siteOf, withDevice } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

type Request = Output<"createRequest"> & { readonly url: string };
interface Refused {
  readonly errorCode: string;
}

describe("the client's commands about requests and pages", () => {
  let server: ServerWithDevice<ServerWith<"owner" | "other">>;
  let device: ClientDevice;
  before(async () => {
    server = await withDevice(withAccounts(startPlainServer(), { owner: {}, other: {} }), ({ url, owner }) => ({
      FILEHOST_SERVER: siteOf({ url }),
      FILEHOST_KEY: owner.key,
    }));
    ({ device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  /** client manage, "Requests". */
  test("requests are created, listed, shown, changed, closed, replaced and deleted", async () => {
    const created = await device.runJson<Request>([
      "requests",
      "create",
      "Photos of the party",
      "--max-files",
      "5",
      "--message",
      "Large\nones",
    ]);
    assert.deepEqual([created.title, created.maxFiles, created.message, created.state], ["Photos of the party", 5, "Large\nones", "open"]);
    await upload(server, {
      name: "a.jpg",
      bytes: "photo",
      fields: { requestToken: created.url.split("/r/")[1] ?? "", senderName: "Ada", senderNote: "Both" },
    });
    const shown = await device.run(["requests", "show", created.id]);
    assert.match(shown.stdout, new RegExp(`^link +${created.url}\\nid +${created.id}\\n`));
    assert.match(
      shown.stdout,
      /\nmessage +Large\n +ones\n[\s\S]*\nfiles +1 of 5\n[\s\S]*\nAda, .* UTC\n {2}Both\n {2}\w{16} +5 bytes +ready +a\.jpg\n$/,
    );
    const changed = await device.run(["requests", "change", created.id, "--title", "Other photos", "--protect"]);
    assert.match(changed.stdout, /\nunlock code +[2-9A-Z]{6}\n/);
    assert.match(changed.stderr, /shown only once/);
    assert.equal((await device.runJson<Request>(["requests", "change", created.id, "--no-protect"])).unlockRequired, false);
    assert.equal((await device.runJson<Request>(["requests", "close", created.id])).state, "closed");
    assert.deepEqual(await device.runJson<Request[]>(["requests", "list", "--state", "open"]), []);
    assert.equal((await device.runJson<Request>(["requests", "close", created.id, "--undo"])).state, "open");
    const filed = await device.runJson<Request>(["requests", "change", created.id, "--folder", "Received/2026"]);
    assert.equal(typeof filed.folderId, "string");
    const same = await device.runJson<Request>(["requests", "create", "More", "--folder", "Received/2026/"]);
    assert.equal(same.folderId, filed.folderId);
    assert.equal((await device.runJson<Request>(["requests", "change", created.id, "--folder", ""])).folderId, null);
    assert.equal((await device.run(["requests", "delete", same.id])).code, 0);
    assert.equal((await device.run(["requests", "create", "Wrong", "--folder", "../x"])).code, 2);
    const rotated = await device.runJson<Request>(["requests", "rotate", created.id]);
    assert.notEqual(rotated.url, created.url);
    const listed = await device.run(["requests", "list"]);
    assert.match(
      listed.stdout,
      new RegExp(`^ID +STATE +FILES .*\\n${created.id} +open +1 of 5 +5 bytes .* ${rotated.url} +Other photos\\n$`),
    );
    const other = { env: { FILEHOST_KEY: server.other.key }, code: 4 };
    for (const command of ["show", "close", "rotate", "delete"])
      assert.equal((await device.runJson<Refused>(["requests", command, created.id], other)).errorCode, "NOT_FOUND");
    {
      await using asked = startTerminal(["requests", "delete", created.id], { cwd: device.path, env: device.env });
      await asked.waitFor('Delete the request "Other photos"? Its files stay. [y/N]');
      asked.type("n\r");
      assert.equal(await asked.ended(), 6);
    }
    assert.equal((await device.run(["requests", "delete", created.id])).stdout, `${created.id}\n`);
    assert.equal((await device.run(["requests", "list"])).stdout, "No requests found.\n");
    const none = await device.runJson<Refused>(["requests", "create", "Mine"], { env: { FILEHOST_KEY: "" }, code: 3 });
    assert.equal(none.errorCode, "UNAUTHENTICATED");
    assert.equal((await device.run(["requests", "create", "Mine", "--max-files", "none"])).code, 2);
  });

  /** client manage, "The page of a share". */
  test("open starts the browser with the link, and prints the link without a browser", async () => {
    const [own, anonymous] = [
      await upload(server, { bytes: "own" }, { key: server.owner.key }),
      await upload(server, { bytes: "anonymous" }),
    ];
    for (const name of [own.shortId, own.id, own.shareUrl]) assert.equal((await device.run(["open", name])).stdout, `${own.shareUrl}\n`);
    await rememberUpload(device, server, anonymous);
    await device.shares.update({ server: server.url, shortId: anonymous.shortId }, { fragmentKey: "AGE-SECRET" });
    const { env } = device;
    assert.equal((await device.run(["open", anonymous.id], { env })).stdout, `${anonymous.shareUrl}#AGE-SECRET\n`);

    const browser = join(device.path, "browser");
    await writeFile(browser, `#!/bin/sh\nprintf '%s|' "$@" > ${device.path}/opened\n`);
    await chmod(browser, 0o700);
    const opened = await device.run(["open", own.shortId], { env: { BROWSER: `${browser} --new %s` } });
    assert.deepEqual([opened.code, opened.stdout, opened.stderr], [0, "", `Opened ${own.shareUrl}\n`]);
    assert.equal(await readFile(join(device.path, "opened"), "utf8"), `--new|${own.shareUrl}|`);
    const failing = await device.run(["open", own.shortId], { env: { BROWSER: "/no/such/browser" } });
    assert.equal(failing.stdout, `${own.shareUrl}\n`);
    const foreign = await device.runJson<Refused>(["open", own.id], { env: { FILEHOST_KEY: server.other.key }, code: 4 });
    assert.equal(foreign.errorCode, "NOT_FOUND");
  });
});
