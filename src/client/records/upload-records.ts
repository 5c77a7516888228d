import { createHash } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../lib/text/parse-json.ts";
import { type BodyLimit, createBodyLimit, MIN_BODY_BYTES } from "../../transfer/body-limit.ts";
import { newRandomId } from "../../transfer/retry.ts";
import type { RemoteServer } from "../server/discover-server.ts";
import { type Environment, removeOldFiles, stateFolder, UNFINISHED_MAX_AGE_MS } from "./private-files.ts";

/** The state that continues an upload after its process has ended. */
const remembered = z.object({
  /** `Idempotency-Key` of the request that begins the upload. */
  initKey: z.string(),
  /** The ID of the upload session, a secret that continues the upload. Missing until the response of the first request has arrived. */
  uploadId: z.string().optional(),
  /** The version of the file with which the upload began. Missing if the ID in the records contains it. */
  version: z.string().optional(),
  sizeBytes: z.int().optional(),
  /** `uploadId` of the upload that this one replaces under the same link. Missing once the server has replaced it. */
  replaces: z.string().optional(),
});
export type UploadRecord = z.infer<typeof remembered>;

export interface UploadRecords {
  find(id: string): Promise<UploadRecord | undefined>;
  /** Remembers an upload that begins. If several processes begin it, the first one wins; resolves to the remembered upload. */
  begin(id: string, upload: UploadRecord): Promise<UploadRecord>;
  save(id: string, upload: UploadRecord): Promise<void>;
  forget(id: string): Promise<void>;
  /**
   * Finds the largest request that a proxy in front of a server forwards. `server` is the address of the server; undefined if the proxy refused none.
   */
  findLimit(server: string): Promise<number | undefined>;
  saveLimit(server: string, maxBytes: number): Promise<void>;
}

/** Remembers nothing. */
export const NO_UPLOAD_RECORDS: UploadRecords = {
  find: async () => undefined,
  begin: async (_, upload) => upload,
  save: async () => undefined,
  forget: async () => undefined,
  findLimit: async () => undefined,
  saveLimit: async () => undefined,
};

const limited = z.object({ maxBytes: z.int().min(MIN_BODY_BYTES) });
const limitId = (server: string): string => `limit-${createHash("sha256").update(server).digest("hex")}`;

/** Remembers uploads in files that only the user can read. If the folder cannot be written, nothing is remembered. */
export function openUploadRecords(folder: string): UploadRecords {
  const pathOf = (id: string): string => join(folder, `${id}.json`);
  const read = async (id: string): Promise<unknown> => parseJson(await readFile(pathOf(id), "utf8").catch(() => "null"));
  const find = async (id: string): Promise<UploadRecord | undefined> => remembered.safeParse(await read(id)).data;
  /** Writes a temporary file, and moves it to its path with `place`. */
  async function write(id: string, upload: object, place: (from: string, to: string) => Promise<void>): Promise<void> {
    const temporary = join(folder, `${id}.${newRandomId()}`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removeOldFiles(folder, UNFINISHED_MAX_AGE_MS);
      await writeFile(temporary, JSON.stringify(upload), { mode: 0o600, flag: "wx" });
      await place(temporary, pathOf(id));
    } catch {
      // The folder cannot be written, or another process has begun the upload.
    }
    await rm(temporary, { force: true }).catch(() => undefined);
  }
  return {
    find,
    async begin(id, upload) {
      await write(id, upload, link);
      return (await find(id)) ?? upload;
    },
    save: (id, upload) => write(id, upload, rename),
    async forget(id) {
      await rm(pathOf(id), { force: true }).catch(() => undefined);
    },
    findLimit: async (server) => limited.safeParse(await read(limitId(server))).data?.maxBytes,
    saveLimit: (server, maxBytes) => write(limitId(server), { maxBytes }, rename),
  };
}

/** Returns the folder in which unfinished uploads are remembered. */
export const uploadRecordsFolder = (env: Environment): string => join(stateFolder(env), "uploads");

/** Opens the largest request size that earlier commands have found for the proxy in front of a server. It is tested again after some days. */
export const openBodyLimit = async ({ apiUrl }: RemoteServer, records: UploadRecords): Promise<BodyLimit> =>
  createBodyLimit(await records.findLimit(apiUrl), (maxBytes) => void records.saveLimit(apiUrl, maxBytes));
