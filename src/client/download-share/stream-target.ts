import { constants, lstat, open, stat } from "node:fs/promises";
import { createConnection } from "node:net";
import { resolve } from "node:path";
import { AppError, systemCode } from "../../errors.ts";
import { explainSystemCode } from "../../lib/system/system-reasons.ts";
import type { DownRequest } from "./down-request.ts";

/** A target that takes bytes in their order: standard output, or a device, pipe or socket at a path. It is written to, and never replaced. */
export type StreamTarget = { readonly kind: "stdout" } | { readonly kind: "path"; readonly path: string; readonly isSocket: boolean };

const STANDARD_OUTPUT = /^\/(?:dev\/stdout|dev\/fd\/1|proc\/self\/fd\/1)$/;
/** Links that the system makes for open files. They are not replaced, also if the open file is an ordinary one. */
const OPEN_FILES = /^\/(?:dev|proc)\//;

/** Finds the stream that the output of a request names; undefined if it names a file, a folder or nothing. */
export async function findStream({ output, folder = "." }: Pick<DownRequest, "output" | "folder">): Promise<StreamTarget | undefined> {
  if (output === undefined) return undefined;
  const path = resolve(folder, output);
  if (output === "-" || STANDARD_OUTPUT.test(path)) return { kind: "stdout" };
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return undefined;
  const isOpenFile = OPEN_FILES.test(path) && (await lstat(path)).isSymbolicLink();
  return found.isFile() && !isOpenFile ? undefined : { kind: "path", path, isSocket: found.isSocket() };
}

/** An open device, pipe or socket. `write` resolves when the bytes are written, and rejects with STORAGE_FULL if they cannot be. */
export interface OpenStream extends AsyncDisposable {
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when everything is written. */
  end(): Promise<void>;
}

/** Opens a device, pipe or socket. A pipe is opened when a program reads it. Throws STORAGE_FULL, and the reason of the signal. */
export async function openStream(
  { path, isSocket }: Extract<StreamTarget, { readonly kind: "path" }>,
  signal: AbortSignal,
): Promise<OpenStream> {
  const aborted = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
  aborted.catch(() => undefined);
  const opening = isSocket ? connect(path) : openFile(path);
  try {
    return await Promise.race([opening, aborted]);
  } catch (error) {
    throw toWriteError(path, error);
  }
}

async function openFile(path: string): Promise<OpenStream> {
  const handle = await open(path, constants.O_WRONLY);
  return {
    async write(bytes) {
      try {
        for (let written = 0; written < bytes.length; ) written += (await handle.write(bytes, written)).bytesWritten;
      } catch (error) {
        throw toWriteError(path, error);
      }
    },
    end: async () => undefined,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

function connect(path: string): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once("error", reject);
    socket.once("connect", () =>
      resolve({
        write: (bytes) =>
          new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(toWriteError(path, error)) : resolve()))),
        end: () => new Promise((resolve) => socket.end(resolve)),
        async [Symbol.asyncDispose]() {
          socket.destroy();
        },
      }),
    );
  });
}

function toWriteError(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const reason = explainSystemCode(code) ?? (code === "EPIPE" ? "no program reads it any more." : `it failed (${code}).`);
  return new AppError("STORAGE_FULL", `${path} could not be written: ${reason}`, { cause: error });
}
