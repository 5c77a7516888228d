import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TakenDown } from "../../src/cli/commands/takedown.ts";
import type { Output } from "../../src/service/contract.ts";
import type { Refusal } from "../../src/service/files/change-each.ts";
import type { RescanReport } from "../../src/service/scanning/rescan.ts";
import { type CommandedServer, run, runJson, startCommandedServer } from "./support.ts";

type ListedFile = Output<"listAllFiles">["data"][number] & { readonly state: string };

/** administration, "Files"; command line, "Commands"; expiry, "Takedown". */
describe("the commands about files", () => {
  let server: CommandedServer;
  let env: Readonly<Record<string, string>>;
  before(async () => {
    server = await startCommandedServer();
    env = server.commandEnv;
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function upload(name: string, body: string): Promise<{ readonly id: string; readonly shortId: string }> {
    const response = await fetch(`${server.url}/${name}`, { method: "PUT", body, headers: { accept: "application/json" } });
    return ((await response.json()) as { data: { id: string; shortId: string } }).data;
  }

  const list = (...options: string[]) => runJson<ListedFile[]>(["files", "list", ...options], env);
  const download = async (id: string): Promise<number> => (await fetch(`${server.url}/api/files/download/${id}`)).status;

  it("list files by name, ID, owner, state and size", async () => {
    const [small, large] = [await upload("harbour.txt", "a"), await upload("harbour at dusk.txt", "a".repeat(2000))];
    const idsOf = (files: readonly ListedFile[]): string[] => files.map(({ id }) => id);
    assert.deepEqual(idsOf(await list("--search", "harbour")), [large.id, small.id]);
    assert.deepEqual(idsOf(await list("--search", "harbour", "--sort", "size", "--order", "asc", "--limit", "1")), [small.id]);
    assert.deepEqual(idsOf(await list("--search", `${server.url}/d/${small.shortId}`)), [small.id]);
    assert.deepEqual(idsOf(await list("--search", "harbour", "--owner", "anonymous", "--state", "ready")), [large.id, small.id]);
    assert.deepEqual(await list("--search", "harbour", "--state", "blocked"), []);
    assert.deepEqual(await list("--owner", "nobody@example.org"), []);
    const { stdout } = await run(["files", "list", "--search", small.id], env);
    assert.match(stdout, new RegExp(`^ID +SHARE +NAME.*\\n${small.id}  ${small.shortId} +harbour.txt  1 byte +ready +- +`));
    assert.equal((await run(["files", "list", "--search", "nothing like it"], env)).stdout, "No files found.\n");
    assert.equal((await run(["files", "list", "--state", "new"], env)).code, 2);
  });

  it("say that a file was used up", async () => {
    const { id } = await upload("used.txt?once=true", "once");
    assert.equal(await download(id), 200);
    const [file] = await list("--search", id);
    assert.deepEqual([file?.state, file && "isUsedUp" in file], ["used_up", false]);
    assert.match((await run(["files", "list", "--search", id], env)).stdout, / used_up +- /);
  });

  it("take down one file by its ID, and restore it", async () => {
    const file = await upload("notice.txt", "text of a notice");
    assert.equal(await download(file.id), 200);
    const taken = await runJson<TakenDown>(["takedown", file.id, "--block", "--reason", "Notice"], env);
    assert.deepEqual([taken.shortId, taken.files.map(({ id }) => id), taken.blocked.length], [file.shortId, [file.id], 1]);
    assert.equal(await download(file.id), 404);
    assert.deepEqual(
      (await list("--search", file.id)).map(({ state }) => state),
      ["taken_down"],
    );
    assert.equal((await run(["takedown", file.id], env)).code, 6, "it is down already");
    await runJson(["blocklist", "remove", taken.blocked[0] ?? ""], env);
    const restored = await runJson<Output<"restoreTakenDown">>(["takedown", file.id, "--undo"], env);
    const elsewhere = { otherPlaces: [], otherPlaceCount: 0, reopenedShares: [] };
    assert.deepEqual(restored, {
      shortId: file.shortId,
      files: [{ id: file.id, name: "notice.txt" }],
      lost: 0,
      stillBlocked: 0,
      ...elsewhere,
    });
    assert.equal((await run(["takedown", file.id, "--undo"], env)).code, 6);
    assert.equal((await run(["takedown", "4kTqW9xZ4kTqW9xZ"], env)).code, 4);
  });

  it("take down, restore and scan several files and shares independently", async () => {
    const files = [await upload("1.txt", "1"), await upload("2.txt", "2"), await upload("3.txt", "3")] as const;
    const [first, second, third] = files;
    const names = [first.id, `${server.url}/d/${second.shortId}`, "4kTqW9xZ4kTqW9xZ", "--id", third.id, first.id];
    const taken = await runJson<{ takenDown: TakenDown[]; refused: Refusal[] }>(["takedown", ...names], env, 4);
    assert.deepEqual(
      taken.takenDown.map(({ shortId }) => shortId),
      [third.shortId, first.shortId, second.shortId],
    );
    assert.deepEqual(
      taken.refused.map(({ id, errorCode }) => [id, errorCode]),
      [["4kTqW9xZ4kTqW9xZ", "NOT_FOUND"]],
    );
    for (const { id } of files) assert.equal(await download(id), 404);
    const again = await run(["takedown", first.id, third.id, "--block"], env);
    assert.deepEqual([again.code, again.stdout], [6, ""]);
    assert.equal(
      again.stderr,
      `${[first, third].map(({ id }) => `${id}: The file was already taken down. Nothing was changed.\n`).join("")}`,
    );
    const scanned = await runJson<RescanReport & { refused: Refusal[] }>(["rescan", first.id, "4kTqW9xZ4kTqW9xZ", third.id], env, 4);
    assert.deepEqual(
      [scanned.queued, scanned.skipped.map(({ id }) => id), scanned.refused.map(({ id }) => id)],
      [[], [first.id, third.id], ["4kTqW9xZ4kTqW9xZ"]],
    );
    assert.equal((await run(["rescan", first.id, third.id], env)).code, 6);
    const back = await run(["takedown", "--undo", ...files.map(({ id }) => id)], env);
    assert.equal(back.code, 0);
    assert.equal(back.stdout, files.map(({ id }, index) => `${id}  ${index + 1}.txt\n`).join(""));
    for (const { id } of files) assert.equal(await download(id), 200);
    assert.equal((await run(["rescan", ...files.map(({ shortId }) => shortId)], env)).stdout.match(/^queued /gm)?.length, 3);
  });
});
