import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AnonymousShare } from "../../../src/client/records/share-records.ts";
import { startTerminal } from "../../support/machine/terminal.ts";
import { type Account, addAccount, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { clientOf, listFiles, upload } from "../support/api/api.ts";
import {
  type ClientDevice,
  makeDevice,
  rememberUpload,
  type ServerWithDevice,
  siteOf,
  withDevice,
} from "../support/client/client-device.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

interface Removed {
  readonly deleted: readonly string[];
  readonly refused: readonly { readonly id: string; readonly errorCode: string }[];
}
interface Refused {
  readonly errorCode: string;
}

/** client manage, "Deleting" and "Moving and renaming". */
describe("the client's commands that delete and move", () => {
  let server: ServerWithDevice<ServerWith<"owner" | "other">>;
  let device: ClientDevice;
  before(async () => {
    server = await withDevice(withAccounts(startPlainServer(), { owner: {}, other: {} }));
    ({ device } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const as = ({ key }: Account) => ({ env: { FILEHOST_KEY: key } });
  const send = (name: string, account?: Account, fields: Record<string, string> = {}) =>
    upload(server, { name, bytes: `bytes of ${name}`, fields }, account === undefined ? {} : { key: account.key });
  const status = async (shortId: string): Promise<number> => (await fetch(`${server.url}/api/files/share/${shortId}`)).status;
  const folder = async (name: string, parentId?: string): Promise<string> =>
    (await clientOf(server, { key: server.owner.key }).call("createFolder", { name, parentId })).data.id;
  const namesIn = async (path: string): Promise<readonly string[]> => {
    const { files, folders } = await device.runJson<{ files: { name: string }[]; folders: { name: string }[] }>(
      ["ls", path],
      as(server.owner),
    );
    return [...folders, ...files].map(({ name }) => name);
  };

  test("rm deletes the owner's files and shares, and refuses those of others like the server", async () => {
    const [one, two, shipment, foreign] = [
      await send("one.txt", server.owner),
      await send("two.txt", server.owner),
      await send("three.txt", server.owner, { openShare: "true" }),
      await send("foreign.txt", server.other),
    ];
    await send("four.txt", server.owner, { shareShortId: shipment.shortId });
    const mixed = await device.run(["rm", one.id, two.shareUrl, foreign.shortId, shipment.shortId], as(server.owner));
    assert.equal(mixed.code, 4);
    assert.equal(mixed.stdout, [one.id, two.shareUrl, shipment.shortId].map((id) => `${id}\n`).join(""));
    assert.match(mixed.stderr, new RegExp(`^${foreign.shortId}: The file or shipment was not found`));
    for (const { shortId } of [one, two, shipment]) assert.equal(await status(shortId), 404);
    assert.equal(await status(foreign.shortId), 200);
    assert.equal((await device.runJson<Refused>(["rm", foreign.id], { ...as(server.owner), code: 4 })).errorCode, "NOT_FOUND");
    assert.equal((await device.runJson<Refused>(["rm", foreign.shortId], { code: 3 })).errorCode, "UNAUTHENTICATED");
    const locked = await send("immutable.txt", server.owner);
    await clientOf(server, { key: server.owner.key }).call("updateShareSettings", { fileId: locked.id, immutable: true });
    assert.equal((await device.runJson<Refused>(["rm", locked.shortId], { ...as(server.owner), code: 6 })).errorCode, "IMMUTABLE");
    assert.deepEqual((await device.runJson<Removed>(["rm", locked.shortId, "--force"], as(server.owner))).deleted, [locked.shortId]);
  });

  test("rm deletes an anonymous share with its token, and forgets it", async () => {
    const [remembered, passed, ended] = [await send("a.txt"), await send("b.txt"), await send("c.txt")];
    await using own = await makeDevice();
    for (const sent of [remembered, ended]) await rememberUpload(own, server, sent);
    assert.deepEqual((await own.runJson<Removed>(["rm", remembered.shortId])).deleted, [remembered.shortId]);
    assert.equal(await status(remembered.shortId), 404);
    assert.deepEqual(
      (await own.shares.list()).map(({ shortId }) => shortId),
      [ended.shortId],
    );
    const env = { FILEHOST_SERVER: siteOf(server) };
    assert.equal((await own.runJson<Refused>(["rm", passed.shortId], { env, code: 3 })).errorCode, "WRONG_TOKEN");
    assert.equal((await own.runJson<Refused>(["rm", passed.shortId, "--token", "del_wrong"], { env, code: 3 })).errorCode, "WRONG_TOKEN");
    assert.equal(await status(passed.shortId), 200);
    const { deletionToken = "" } = passed;
    assert.equal((await own.run(["rm", passed.shareUrl, "--token", "-"], { input: deletionToken })).code, 0);
    assert.equal(await status(passed.shortId), 404);
    await clientOf(server).call("deleteFile", { fileId: ended.id, token: ended.deletionToken });
    assert.equal((await own.runJson<Refused>(["rm", ended.shortId], { code: 4 })).errorCode, "NOT_FOUND");
    assert.deepEqual(await own.shares.list(), []);
  });

  test("rm deletes all of an anonymous shipment, also added files, and keeps its tokens while files remain", async () => {
    await using own = await makeDevice({ FILEHOST_SERVER: siteOf(server) });
    for (const [path, text] of [
      ["one/a.txt", "a"],
      ["b.txt", "b"],
    ] as const) {
      await mkdir(dirname(join(own.path, path)), { recursive: true });
      await writeFile(join(own.path, path), text);
    }
    const sendBoth = async (): Promise<AnonymousShare> => {
      const link = (await own.run(["up", "one"])).stdout.trim();
      const added = await own.run(["up", "b.txt", "--into", link]);
      assert.equal(added.code, 0, added.stderr);
      const share = await own.shares.find(link);
      assert.ok(share);
      assert.equal(share.fileIds.length, 2);
      return share;
    };
    const whole = await sendBoth();
    assert.equal((await own.run(["rm", whole.shortId, "--yes"])).code, 0);
    assert.equal(await status(whole.shortId), 404);
    assert.deepEqual(await own.shares.list(), []);

    const { shortId, fileIds } = await sendBoth();
    const [first = "", second = ""] = fileIds;
    // This device does not know what others added.
    await own.shares.update({ server: siteOf(server), shortId }, { fileIds: [first] });
    assert.equal((await own.run(["rm", first, "--yes"])).code, 0);
    const { files } = (await clientOf(server).call("getShare", { shortId })).data;
    assert.deepEqual(
      files?.map(({ id }) => id),
      [second],
    );
    assert.equal((await own.shares.find(shortId))?.shortId, shortId);
    assert.equal((await own.run(["rm", shortId, "--yes"])).code, 0);
    assert.equal(await status(shortId), 404);
    assert.deepEqual(await own.shares.list(), []);
  });

  test("rm --recursive deletes a folder with its contents, and without the option only an empty one", async () => {
    const outer = await folder("Outer");
    const inner = await folder("Inner", outer);
    const files = [
      await send("in-outer.txt", server.owner, { folderId: outer }),
      await send("in-inner.txt", server.owner, { folderId: inner }),
    ];
    assert.equal((await device.runJson<Refused>(["rm", outer], { ...as(server.owner), code: 6 })).errorCode, "FOLDER_NOT_EMPTY");
    assert.equal((await device.runJson<Refused>(["rm", outer, "--recursive"], { ...as(server.other), code: 4 })).errorCode, "NOT_FOUND");
    assert.deepEqual((await device.runJson<Removed>(["rm", outer, "--recursive"], as(server.owner))).deleted, [outer]);
    for (const { shortId } of files) assert.equal(await status(shortId), 404);
    assert.equal((await device.run(["ls", "Outer"], as(server.owner))).code, 4);
  });

  test("rm --recursive names the links that files of the folder lose, before it asks", async () => {
    const outer = await folder("Linked");
    const files = [];
    for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"]) files.push(await send(name, server.owner, { folderId: outer }));
    await send("single.txt", server.owner, { folderId: outer });
    const { call } = clientOf(server, { key: server.owner.key });
    for (const { id } of files) await call("shareFiles", { fileIds: [id], title: "Second" });
    const { shareUrl } = (await call("shareFiles", { fileIds: [files[0]?.id ?? ""] })).data;
    const said =
      /^4 files have several links, which all stop working:\n {2}a\.txt: .*\n {2}b\.txt: .*\n {2}c\.txt: .*\n {2}and 1 more file\n/;
    {
      await using no = startTerminal(["rm", "Linked", "--recursive"], {
        cwd: device.path,
        env: { ...device.env, ...as(server.owner).env },
      });
      await no.waitFor('Delete the folder "Linked" with 5 files permanently? [y/N]');
      assert.match(no.screen().replaceAll(/\s+/g, " "), /4 files have several links, which all stop working: a\.txt: .*Second \(/);
      no.press("enter");
      assert.equal(await no.ended(), 6);
    }
    const { code, stderr } = await device.run(["rm", "Linked", "--recursive"], as(server.owner));
    assert.equal(code, 0);
    assert.match(stderr, said);
    assert.ok(stderr.includes(`a.txt: ${files[0]?.shareUrl}, Second (`) && stderr.includes(`, ${shareUrl}\n`), stderr);
    assert.equal(await status(files[3]?.shortId ?? ""), 404);
  });

  test("rm and mv take paths of folders, and IDs of shares before names that could be one", async () => {
    const target = await folder("Shelf");
    const nested = await folder("A", target);
    await folder("Deep", nested);
    const file = await send("of-a-share.txt", server.owner);
    await folder(file.shortId);
    assert.equal(
      (await device.run(["mv", "Shelf/A", `./${file.shortId}/`], as(server.owner))).stderr,
      `Moved 1 folder to ${file.shortId}\n`,
    );
    assert.deepEqual(await namesIn(`${file.shortId}/A`), ["Deep"]);
    assert.equal(
      (await device.runJson<Refused>(["rm", `${file.shortId}/A`], { ...as(server.owner), code: 6 })).errorCode,
      "FOLDER_NOT_EMPTY",
    );
    assert.equal((await device.run(["rm", file.shortId], as(server.owner))).code, 0);
    assert.equal(await status(file.shortId), 404, "the share is deleted");
    assert.deepEqual(await namesIn(file.shortId), ["A"], "and the folder is not");
    assert.deepEqual((await device.runJson<Removed>(["rm", "Shelf", file.shortId, "--recursive"], as(server.owner))).deleted, [
      "Shelf",
      file.shortId,
    ]);
    for (const [path, code] of [
      ["No/such", 4],
      ["Shelf/", 4],
      ["a b", 4],
      ["/", 2],
      ["../x", 2],
    ] as const)
      assert.equal((await device.run(["rm", path, "--recursive"], as(server.owner))).code, code, path);
    const share = await send("stays.txt", server.other);
    assert.equal((await device.run(["rm", share.shortId], as(server.owner))).code, 4);
  });

  test("rm and mv take paths of files, and mv a new path", async () => {
    const { key } = await addAccount(server);
    await using own = await makeDevice({ FILEHOST_SERVER: siteOf(server), FILEHOST_KEY: key });
    await writeFile(join(own.path, "a.txt"), "a");
    const run = async (...args: readonly string[]) => {
      const { code, stderr } = await own.run(args);
      return [code, stderr];
    };
    for (const path of ["Reports/2026", "Archive"]) assert.equal((await own.run(["mkdir", path])).code, 0);
    assert.equal((await own.run(["up", "a.txt", "--folder", "Reports/2026"])).code, 0);
    assert.deepEqual(await run("mv", "Reports/2026/a.txt", "june.txt"), [0, "Renamed to june.txt\n"]);
    assert.deepEqual(await run("mv", "Reports/2026/june.txt", "Archive/july.txt"), [0, "Renamed to july.txt\n"]);
    assert.deepEqual(await run("mv", "Reports/2026", "Archive/2026 old"), [0, "Renamed to 2026 old\n"]);
    assert.deepEqual(await run("mv", "Archive/july.txt", "/august.txt"), [0, "Renamed to august.txt\n"]);
    assert.equal((await own.run(["mv", "august.txt", "No/such.txt"])).code, 4);
    const listed = await own.runJson<{ folders: { name: string }[]; files: { name: string }[] }>(["ls"]);
    assert.deepEqual(
      [listed.folders, listed.files].map((items) => items.map(({ name }) => name).sort()),
      [["Archive", "Reports"], ["august.txt"]],
    );
    assert.equal((await own.run(["up", "a.txt", "--name", "august.txt", "--no-resume"])).code, 0);
    const { code, stderr } = await own.run(["rm", "august.txt"]);
    assert.deepEqual([code, /^Several files have this path\. Use the ID of one: /.test(stderr)], [6, true], stderr);
    assert.equal((await own.run(["rm", "Archive/2026 old", "Reports/"])).code, 0);
    assert.equal((await own.run(["up", "a.txt", "--name", "linked.txt", "--no-resume"])).code, 0);
    const [linked] = (await listFiles(server, key)).files.filter(({ name }) => name === "linked.txt");
    await clientOf(server, { key }).call("shareFiles", { fileIds: [linked?.id ?? ""] });
    const { code: removed, stderr: note } = await own.run(["rm", "linked.txt"]);
    assert.deepEqual([removed, note], [0, `${linked?.id}: 1 other link of it still works. To delete all: --all-links\n`]);
    const { code: missing, stderr: said } = await own.run(["rm", "Archive/july.txt"]);
    assert.deepEqual([missing, /Neither a share nor a folder or file of your account/.test(said)], [4, true], said);
  });

  test("rm asks first in a terminal, and deletes nothing unless the answer is yes", async () => {
    const file = await send("asked.txt");
    await using own = await makeDevice();
    await rememberUpload(own, server, file);
    const ask = () => startTerminal(["rm", file.shortId], { cwd: own.path, env: own.env });
    {
      await using no = ask();
      await no.waitFor(`Delete "asked.txt" (${file.shortId}) permanently? [y/N]`);
      no.press("enter");
      assert.equal(await no.ended(), 6);
      assert.match(no.screen(), /Nothing was deleted/);
    }
    {
      await using stopped = ask();
      await stopped.waitFor("[y/N]");
      stopped.press("ctrl-c");
      assert.equal(await stopped.ended(), 130);
    }
    assert.equal(await status(file.shortId), 200);
    await using yes = ask();
    await yes.waitFor("[y/N]");
    yes.type("y\r");
    assert.equal(await yes.ended(), 0);
    assert.equal(await status(file.shortId), 404);
  });

  test("mv renames a file or folder, and moves files and folders by the path or ID of the target", async () => {
    const [target, moved] = [await folder("Target"), await folder("Moved")];
    const inside = await folder("Inside", target);
    const [one, two] = [await send("one.txt", server.owner), await send("two.txt", server.owner)];
    const renamed = await device.run(["mv", one.shortId, "renamed.txt"], as(server.owner));
    assert.deepEqual([renamed.code, renamed.stderr], [0, "Renamed to renamed.txt\n"]);
    const both = await device.run(["mv", one.id, two.shareUrl, moved, "Target/Inside"], as(server.owner));
    assert.deepEqual([both.code, both.stderr], [0, "Moved 2 files and 1 folder to Target/Inside\n"]);
    assert.deepEqual(await namesIn(inside), ["Moved", "two.txt", "renamed.txt"]);
    assert.equal((await device.run(["mv", moved, "Renamed"], as(server.owner))).code, 0);
    assert.equal((await device.run(["mv", one.shortId, "/"], as(server.owner))).stderr, "Moved 1 file out of all folders\n");
    assert.deepEqual(await namesIn("Target/Inside"), ["Renamed", "two.txt"]);
    assert.equal((await device.run(["mv", one.shortId, target], as(server.owner))).code, 0);
    assert.deepEqual(await namesIn("/Target"), ["Inside", "renamed.txt"]);

    const foreign = await send("foreign.txt", server.other);
    const refusals: readonly (readonly [readonly string[], number, string])[] = [
      [[one.shortId, "No such/"], 4, "NOT_FOUND"],
      [[one.shortId, two.shortId, "No such"], 4, "NOT_FOUND"],
      [[foreign.shortId, "mine.txt"], 4, "NOT_FOUND"],
      [[one.shortId, foreign.id, "Target"], 4, "NOT_FOUND"],
      [[target, "Target/Inside"], 6, "FOLDER_CYCLE"],
    ];
    for (const [args, code, expected] of refusals)
      assert.equal((await device.runJson<Refused>(["mv", ...args], { ...as(server.owner), code })).errorCode, expected, args.join(" "));
    assert.equal((await device.run(["mv", one.shortId], as(server.owner))).code, 2);
  });
});
