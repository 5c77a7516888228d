import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { askShare } from "../support/api/api.ts";
import { type ClientDevice, makeDevice, siteOf } from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** sharing, "Aliases"; client up, "Settings of the share"; client manage, "Settings". */
describe("an alias in the client's commands", () => {
  let server: ServerWith<"owner" | "other">;
  let owner: ClientDevice;
  let recipient: ClientDevice;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: {}, other: {} });
    owner = await makeDevice({ FILEHOST_SERVER: siteOf(server), FILEHOST_KEY: server.owner.key });
    recipient = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
  });
  after(async () => {
    await recipient?.[Symbol.asyncDispose]();
    await owner?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const succeed = async (device: ClientDevice, args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await device.run(args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const linkOf = (name: string): string => `${siteOf(server)}/d/${name}`;

  test("is in the link of files and folders, which recipients open by the link or the name", async () => {
    await owner.makeFile("note.txt", "the note");
    assert.equal(await succeed(owner, ["up", "note.txt", "--alias", "The-Note"]), `${linkOf("the-note")}\n`);
    await owner.makeFile("trip/a.txt", "a");
    await owner.makeFile("trip/b.txt", "b");
    assert.equal(await succeed(owner, ["up", "trip", "--alias", "trip-to-rome"]), `${linkOf("trip-to-rome")}\n`);
    assert.equal(await succeed(recipient, ["down", linkOf("THE-note"), "-o", "-"]), "the note");
    assert.equal(await succeed(recipient, ["down", "the-note", "-o", "-"]), "the note");
    await succeed(recipient, ["down", linkOf("trip-to-rome"), "-o", "saved"]);
    assert.equal(await readFile(join(recipient.path, "saved", "trip", "b.txt"), "utf8"), "b");
    assert.match(await succeed(recipient, ["info", "trip-to-rome"]), /trip\/b\.txt/);
  });

  test("is changed and removed by the owner, and encrypted files keep their key", async () => {
    await owner.makeFile("secret.txt", "the secret");
    const sent = (await succeed(owner, ["up", "secret.txt", "--encrypt"])).trim();
    const key = new URL(sent).hash;
    const named = await succeed(owner, ["share", sent, "--alias", "our-secret", "--link"]);
    assert.equal(named, `${linkOf("our-secret")}\n`);
    assert.equal(await succeed(owner, ["share", "our-secret", "--link"]), named);
    assert.equal(await succeed(recipient, ["down", named.trim() + key, "-o", "-"]), "the secret");
    const shown = await owner.runJson<{ readonly alias: string | null; readonly url: string; readonly shortId: string }>([
      "share",
      "our-secret",
    ]);
    assert.deepEqual([shown.alias, shown.url], ["our-secret", named.trim()]);
    const removed = await owner.runJson<{ readonly alias: string | null; readonly url: string }>(["share", "our-secret", "--alias", ""]);
    assert.deepEqual([removed.alias, removed.url + key], [null, sent]);
    assert.equal((await askShare(server, "our-secret")).status, 404);
    await succeed(owner, ["share", shown.shortId, "--alias", "our-secret"]);
    await succeed(owner, ["rm", linkOf("our-secret"), "--yes"]);
    assert.equal((await askShare(server, shown.shortId)).status, 404);
  });

  test("that is taken or wrong is refused, and nothing is sent", async () => {
    await owner.makeFile("first.txt", "first");
    await succeed(owner, ["up", "first.txt", "--alias", "first-one"]);
    await owner.makeFile("second.txt", "second");
    const path = join(owner.path, "second.txt");
    const other = { env: { FILEHOST_KEY: server.other.key } };
    const taken = await owner.run(["up", path, "--alias", "first-one"], other);
    assert.deepEqual([taken.code, taken.stdout], [6, ""], taken.stderr);
    assert.match(taken.stderr, /first-one is taken/);
    assert.equal((await owner.run(["up", path, "--alias", "wrong"], other)).code, 2);
    assert.equal((await owner.run(["up", path, "--alias", "sign-in-here"], other)).code, 2);
    const anonymous = await recipient.run(["up", path, "--alias", "no-account"]);
    assert.deepEqual([anonymous.code, anonymous.stdout], [3, ""], anonymous.stderr);
  });
});
