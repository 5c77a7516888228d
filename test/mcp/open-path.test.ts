import assert from "node:assert/strict";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AppError } from "../../src/errors.ts";
import { resolveAllowedFolders } from "../../src/mcp/stdio/allowed-folders.ts";
import { openFileWithin, openFolderWithin } from "../../src/mcp/stdio/open-path.ts";
import { makeFolder } from "../support/folder.ts";

/** mcp, "Files of your machine". */
describe("paths that a link changes while they are opened", () => {
  /** Replaces a folder in the allowed one again and again by a link that leads outside. */
  async function withChangingLink(work: (paths: { readonly allowed: string; readonly link: string }) => Promise<void>): Promise<void> {
    await using dir = await makeFolder();
    const [allowed, outside, parked] = ["allowed", "outside", "parked"].map((name) => join(dir.path, name)) as [string, string, string];
    const link = join(allowed, "folder");
    for (const folder of [allowed, link, outside]) await mkdir(folder);
    await writeFile(join(link, "file"), "public");
    await writeFile(join(outside, "file"), "secret");
    let isDone = false;
    const changing = (async () => {
      while (!isDone) {
        await rename(link, parked);
        await symlink(outside, link);
        await rm(link);
        await rename(parked, link);
        // The folder is there for some tries.
        await readFile(join(link, "file"));
      }
    })();
    try {
      await work({ allowed, link });
    } finally {
      isDone = true;
      await changing;
    }
  }

  const outcome = async <Result>(work: Promise<Result>): Promise<Result | undefined> =>
    await work.catch((error: unknown) => {
      assert.ok(error instanceof AppError, String(error));
      return undefined;
    });

  it("never opens a file outside", async () => {
    await withChangingLink(async ({ allowed, link }) => {
      const bounds = { folders: await resolveAllowedFolders([allowed]), roots: undefined };
      let opened = 0;
      for (let count = 0; count < 500 || opened === 0; count += 1) {
        await using file = await outcome(openFileWithin(join(link, "file"), bounds));
        if (file === undefined) continue;
        opened += 1;
        const bytes = new Uint8Array(6);
        await file.read(bytes, 0);
        assert.equal(new TextDecoder().decode(bytes), "public");
      }
    });
  });

  it("never saves to a folder outside", async () => {
    await withChangingLink(async ({ allowed, link }) => {
      const bounds = { folders: await resolveAllowedFolders([allowed]), roots: undefined };
      let opened = 0;
      for (let count = 0; count < 500 || opened === 0; count += 1) {
        await using folder = await outcome(openFolderWithin(link, bounds));
        // While there is no folder, the path is that of a new file.
        if (folder === undefined || folder.name !== undefined) continue;
        opened += 1;
        assert.equal(folder.real, link);
        assert.equal(await readFile(join(folder.path, "file"), "utf8"), "public");
      }
    });
  });
});
