import { appendFile, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DAY_MS } from "../../lib/text/duration.ts";
import { newRandomId } from "../../transfer/retry.ts";
import { withFileLock } from "./file-lock.ts";
import { makePrivateFolder, readPrivateFile, UNFINISHED_MAX_AGE_MS, writePrivateFile } from "./private-files.ts";

const shipment = z.object({
  shortId: z.string(),
  shareUrl: z.string(),
  shareToken: z.string().optional(),
  claimToken: z.string().optional(),
  deletionToken: z.string().optional(),
  unlockCode: z.string().optional(),
  handoffUrl: z.string().optional(),
  expiresAt: z.string().nullable(),
});
/** A shipment that was opened, with its secrets. */
export type GrowingShipment = z.infer<typeof shipment>;

const remembered = z.object({
  /** `Idempotency-Key` of the request that opens the shipment, so that simultaneous processes open one shipment. */
  initKey: z.string(),
  /** ISO time of that request. */
  createdAt: z.string(),
  shipment: shipment.optional(),
});
export type RememberedShipment = z.infer<typeof remembered>;

const sentFile = z.object({ path: z.string(), version: z.string(), id: z.string() });
export type RememberedFile = z.infer<typeof sentFile>;

/** A file whose upload in parts has begun. `uploadId` and `key` are secrets; `version` is the version of the LocalFile. */
const unfinishedFile = z.object({ path: z.string(), version: z.string(), uploadId: z.string(), key: z.string() });
export type UnfinishedFile = z.infer<typeof unfinishedFile>;

/** A file that is no longer in the shipment. */
const removedFile = z.object({ path: z.string(), isRemoved: z.literal(true) });
const line = z.union([sentFile, unfinishedFile, removedFile]);

/** The state that continues a shipment after its process has ended. */
export interface ShipmentRecords {
  readonly state: RememberedShipment;
  /** The files of the shipment, by their paths. */
  readonly sent: ReadonlyMap<string, RememberedFile>;
  /** The files whose upload in parts was not completed. */
  readonly unfinished: readonly UnfinishedFile[];
  save(shipment: GrowingShipment): Promise<void>;
  addSent(files: readonly RememberedFile[]): Promise<void>;
  removeSent(paths: readonly string[]): Promise<void>;
  addUnfinished(file: UnfinishedFile): Promise<void>;
  /** Reads which files other processes have sent to the same shipment meanwhile. */
  refresh(): Promise<void>;
  /** Begins a new state, because the shipment has ended. */
  reset(): Promise<void>;
  forget(): Promise<void>;
}

/** The time after which the list of another process's sent files is removed. No process waits for it any more. */
const MAX_SENT_AGE_MS = DAY_MS;

/** Finds the remembered state of an upload, or begins one. Its files are readable only by the user. */
export async function openShipmentRecords(folder: string, id: string): Promise<ShipmentRecords> {
  const statePath = join(folder, `${id}.json`);
  // The path of the list of sent files. Other processes can read it after the first one has ended.
  const sentPath = (): string => join(folder, `${id}.${state.initKey}.sent`);
  const locked = <T>(work: () => Promise<T>): Promise<T> => withFileLock(join(folder, "lock"), work);
  const begin = async (): Promise<RememberedShipment> => {
    const state = { initKey: newRandomId(), createdAt: new Date().toISOString() };
    await writePrivateFile(statePath, JSON.stringify(state));
    return state;
  };
  await makePrivateFolder(folder);
  await removeOld(folder);
  let state = await locked(async () => parse(remembered, (await readPrivateFile(statePath)) ?? "") ?? (await begin()));
  const sent = new Map<string, RememberedFile>();
  let unfinished: readonly UnfinishedFile[] = [];
  const refresh = async (): Promise<void> => {
    const begun = new Map<string, UnfinishedFile>();
    for (const text of ((await readPrivateFile(sentPath())) ?? "").split("\n")) {
      const file = parse(line, text);
      if (file && "uploadId" in file) begun.set(file.uploadId, file);
      else if (file && "id" in file) sent.set(file.path, file);
      else if (file) sent.delete(file.path);
    }
    unfinished = [...begun.values()].filter(({ path, version }) => !sent.get(path)?.version.startsWith(`${version}:`));
  };
  const append = (lines: readonly object[]): Promise<void> =>
    appendFile(sentPath(), lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
  await refresh();
  return {
    get state() {
      return state;
    },
    sent,
    get unfinished() {
      return unfinished;
    },
    async save(shipment) {
      state = { ...state, shipment };
      await writePrivateFile(statePath, JSON.stringify(state));
    },
    async addSent(files) {
      for (const file of files) sent.set(file.path, file);
      await append(files);
    },
    async removeSent(paths) {
      for (const path of paths) sent.delete(path);
      if (paths.length > 0) await append(paths.map((path) => ({ path, isRemoved: true })));
    },
    addUnfinished: (file) => append([file]),
    refresh,
    async reset() {
      sent.clear();
      state = await locked(async () => {
        const found = parse(remembered, (await readPrivateFile(statePath)) ?? "");
        // Another process may have begun a new state already.
        if (found && found.initKey !== state.initKey) return found;
        await rm(sentPath(), { force: true });
        return await begin();
      });
    },
    async forget() {
      await locked(async () => {
        // Another process may have begun a new state after the end of this upload.
        if (parse(remembered, (await readPrivateFile(statePath)) ?? "")?.initKey === state.initKey) await rm(statePath, { force: true });
      });
    },
  };
}

/** Removes files that no upload continues any more. */
async function removeOld(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names) {
    const path = join(folder, name);
    // Another process may remove the file meanwhile.
    const ageMs = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    const isContinued = names.includes(`${name.split(".")[0]}.json`);
    if (ageMs > (name.endsWith(".sent") && !isContinued ? MAX_SENT_AGE_MS : UNFINISHED_MAX_AGE_MS) && name !== "lock")
      await rm(path, { force: true });
  }
}

/** Creates records for an upload that no other process continues. */
export function createVolatileRecords(): ShipmentRecords {
  const begin = (): RememberedShipment => ({ initKey: newRandomId(), createdAt: new Date().toISOString() });
  const sent = new Map<string, RememberedFile>();
  let state = begin();
  return {
    get state() {
      return state;
    },
    sent,
    async save(shipment) {
      state = { ...state, shipment };
    },
    async addSent(files) {
      for (const file of files) sent.set(file.path, file);
    },
    async removeSent(paths) {
      for (const path of paths) sent.delete(path);
    },
    unfinished: [],
    async addUnfinished() {},
    async refresh() {},
    async reset() {
      sent.clear();
      state = begin();
    },
    async forget() {},
  };
}

function parse<Schema extends z.ZodType>(schema: Schema, text: string): z.infer<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    // A killed process may leave an incomplete line.
    return undefined;
  }
}
