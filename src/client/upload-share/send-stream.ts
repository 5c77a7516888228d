import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { freeChunk } from "../../lib/system/chunk-memory.ts";
import type { Output } from "../../service/contract.ts";
import { addAdvice, ClientError } from "../client-error.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { COPIES_CHUNKS } from "../server/send.ts";
import { proxyRefusalOf } from "../server/server-error.ts";
import type { FormPart } from "../upload-file/form-stream.ts";
import { streamForm } from "../upload-file/form-stream.ts";
import { type LocalFile, toLocalFile } from "../upload-file/local-file.ts";

export interface StreamUpload {
  readonly input: AsyncIterable<Uint8Array>;
  readonly name: string;
  /** Publish fields. */
  readonly fields: Readonly<Record<string, unknown>>;
}

interface StreamContext {
  readonly api: RemoteApi;
  readonly signal: AbortSignal;
  onProgress(sentBytes: number): void;
}

/**
 * Whether input of unknown size can be sent to the site while it is read. This is impossible if the site has another address than the API that gets
 * the key.
 */
export async function canStream(api: RemoteApi): Promise<boolean> {
  const server = await api.discoverServer();
  return siteOf(server).origin === new URL(server.apiUrl).origin;
}

const siteOf = ({ reach, siteUrl }: Awaited<ReturnType<RemoteApi["discoverServer"]>>): URL =>
  new URL(`${reach(siteUrl).href.replace(/\/+$/, "")}/`);

/**
 * Sends input of unknown size in one request while it is read, in constant memory. The request cannot be repeated. Rejects with the server's error,
 * or UNAVAILABLE if the connection breaks.
 */
export async function sendStream(
  { input, name, fields }: StreamUpload,
  { api, signal, onProgress }: StreamContext,
): Promise<Output<"uploadFile">> {
  const url = siteOf(await api.discoverServer());
  let sentBytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of input) {
      signal.throwIfAborted();
      yield chunk;
      sentBytes += chunk.length;
      onProgress(sentBytes);
      if (COPIES_CHUNKS) freeChunk(chunk);
    }
  }
  const parts: FormPart[] = [
    // This form cannot express null, which is the default of these fields.
    ...Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [{ name, value: String(value) }])),
    { name: "file", fileName: name, bytes: counted() },
  ];
  try {
    return await api.sendForm("uploadFile", streamForm(parts), { signal, url });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError && proxyRefusalOf(error) !== undefined) throw addAdvice(error, { kind: "spoolParts" });
    if (!(error instanceof AppError) || error.code !== "UNAVAILABLE") throw error;
    throw new ClientError("UNAVAILABLE", "The connection broke, and standard input cannot be read again.", {
      cause: error,
      advice: [{ kind: "spoolAndRepeat" }],
    });
  }
}

/** Saves input to a nameless file that only the user can read, to send it like other files. Throws STORAGE_FULL, or the file system's error. */
export async function spool({ input, name }: Pick<StreamUpload, "input" | "name">, signal: AbortSignal): Promise<LocalFile> {
  const folder = await mkdtemp(join(tmpdir(), "filehost-"));
  const path = join(folder, "input");
  const handle = await open(path, "wx+", 0o600);
  try {
    // The system frees the file when this process ends, in any way. Windows keeps the names of open files.
    if (process.platform !== "win32") await rm(folder, { recursive: true, force: true });
    for await (const chunk of input) {
      signal.throwIfAborted();
      await handle.writeFile(chunk);
    }
    const file = await toLocalFile(handle, { path, name });
    return {
      ...file,
      async [Symbol.asyncDispose]() {
        await handle.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await handle.close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
