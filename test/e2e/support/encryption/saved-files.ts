import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Download, Locator, Page } from "playwright-core";
import { makeFolder } from "../../../support/folder.ts";

/** Makes the browser's dialog, which no test can operate, choose a file in the page's private folder. */
export const chooseSavedFile = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const choose = async () => await (await navigator.storage.getDirectory()).getFileHandle("saved", { create: true });
    Object.assign(globalThis, { showSaveFilePicker: choose });
  });

/** Reads the file that `chooseSavedFile` has chosen. */
export async function readChosenFile(page: Page): Promise<Uint8Array> {
  const bytes = await page.evaluate(async () => {
    const file = await (await (await navigator.storage.getDirectory()).getFileHandle("saved")).getFile();
    return [...new Uint8Array(await file.arrayBuffer())];
  });
  return new Uint8Array(bytes);
}

/** Makes a page treat what a button saves as 300 MB, which do not fit its memory. */
export const pretendLarge = (button: Locator): Promise<void> =>
  button.evaluate((element) => {
    const { dataset } = element as HTMLElement;
    dataset[dataset.encrypted === undefined ? "size" : "encrypted"] = String(300 * 1024 * 1024);
  });

/** Unpacks a ZIP by Info-ZIP's `unzip`, which checks its checksums; resolves to its files by their paths. */
export async function unpack(bytes: Uint8Array): Promise<Record<string, Buffer>> {
  await using folder = await makeFolder();
  const [zip, into] = [join(folder.path, "a.zip"), join(folder.path, "files")];
  await writeFile(zip, bytes);
  const { status, stderr, stdout } = spawnSync("unzip", ["-q", zip, "-d", into], {
    encoding: "utf8",
    env: { LC_ALL: "C.UTF-8", PATH: process.env.PATH },
  });
  assert.equal(status, 0, stderr + stdout);
  const entries = await readdir(into, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(await Promise.all(files.map(async (path) => [relative(into, path), await readFile(path)] as const)));
}

export const unpackDownload = async (download: Download): Promise<Record<string, Buffer>> =>
  await unpack(await readFile(await download.path()));

export const toBuffers = (files: Readonly<Record<string, Uint8Array>>): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)]));
