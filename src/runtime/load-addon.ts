import { dlopen } from "bun:ffi";
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, readFileSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { AppError } from "../errors.ts";
import { findAddonFolder } from "../lib/system/addon-folder.ts";

/** The C libraries of glibc and of musl. */
const C_LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/**
 * Loads the native addon at a path inside the executable (command line, "Temporary files"). Bun writes it to the system's folder of temporary files;
 * if that fails, tries memory, then the data folder. Throws UNAVAILABLE if all fail.
 */
export function loadAddon(embedded: string): unknown {
  const failures: unknown[] = [];
  for (const load of [() => openAddon(embedded), () => loadFromMemory(embedded), () => loadFromDataFolder(embedded)]) {
    try {
      return load();
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AppError(
    "UNAVAILABLE",
    "The database driver cannot be loaded: programs cannot be written to the folder of temporary files and run from it, nor in the data folder. " +
      "Set TMPDIR to a folder where both are possible.",
    { cause: new AggregateError(failures) },
  );
}

function openAddon(path: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}

/** Loads the addon from a file in memory, on Linux only. The file needs no disk, and mount options do not apply. */
function loadFromMemory(embedded: string): unknown {
  const file = createMemoryFile();
  try {
    const bytes = readFileSync(embedded);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    return openAddon(`/proc/self/fd/${file}`);
  } finally {
    closeSync(file);
  }
}

function createMemoryFile(): number {
  if (process.platform !== "linux") throw new Error("Only Linux has files in memory");
  for (const library of C_LIBRARIES) {
    try {
      const { symbols, close } = dlopen(library, { memfd_create: { args: ["cstring", "u32"], returns: "i32" } });
      const file = symbols.memfd_create(Buffer.from("filehost-addon\0"), 0);
      close();
      if (file >= 0) return file;
    } catch {
      // The process uses another C library.
    }
  }
  throw new Error("The system has no files in memory");
}

function loadFromDataFolder(embedded: string): unknown {
  const folder = findAddonFolder();
  if (folder === undefined) throw new Error("No data folder is set");
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(resolve(folder), `.addon-${randomBytes(8).toString("hex")}.node`);
  try {
    writeFileSync(path, readFileSync(embedded), { flag: "wx", mode: 0o700 });
    return openAddon(path);
  } finally {
    // A loaded file stays mapped. Windows does not remove a file that is in use.
    try {
      unlinkSync(path);
    } catch {}
  }
}
