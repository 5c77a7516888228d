import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Connection } from "./connection.ts";

/** The absolute path of a `file:` URL: `file:relative/or/absolute` is taken to the letter, `file:///absolute` is decoded. Others: undefined. */
export function findLocalPath(url: string): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  if (url.startsWith("file://")) return fileURLToPath(url);
  const path = url.slice("file:".length);
  if (path === "" || path.startsWith(":memory:")) throw new Error(`${url} names no file: the database needs one`);
  return resolve(path);
}

/** Makes an empty database file that its owner alone can read (0600; SQLite gives its companions the same), in a folder likewise (0700). */
export async function makeDatabaseFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await makePrivateFile(path);
}

/** Writes what `connection` sees to `to`, whole and durable before it has that name, in place of what was there. */
export async function copyDatabase(connection: Connection, to: string): Promise<void> {
  const partial = `${to}.partial`;
  await rm(partial, { force: true });
  await makePrivateFile(partial);
  connection.run("VACUUM INTO ?", [partial]);
  await syncFile(partial);
  await rename(partial, to);
  await syncFile(dirname(to));
}

async function makePrivateFile(path: string): Promise<void> {
  try {
    // Only ever a new file: closing a second descriptor of an open database would drop SQLite's locks on it.
    const file = await open(path, "wx", 0o600);
    await file.close();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
