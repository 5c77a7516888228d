/** The unsent files of shares, with the sessions of large ones. */
import { upload as texts } from "#texts/site";
import { PermanentFailure } from "../upload/failures.ts";
import type { Content, ResumeRecord, ResumeRecords } from "../upload/resume-records.ts";
import { inStore, inStores } from "./database.ts";

export interface PendingFile extends ResumeRecord {
  readonly shortId: string;
  readonly path: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly lastModified: number;
}

interface ChosenFile {
  readonly path: string;
  readonly file: File;
}

/** Returns the keys of a share's files. */
export const ofShare = (shortId: string): IDBKeyRange => IDBKeyRange.bound([shortId], [shortId, []]);

export const toPending = (shortId: string, files: readonly ChosenFile[]): readonly PendingFile[] =>
  files.map(({ path, file: { name, size, lastModified } }) => ({ shortId, path, name, sizeBytes: size, lastModified }));

export async function listPending(shortId: string): Promise<readonly PendingFile[]> {
  return (await inStore<PendingFile[]>("pending", "readonly", (store) => store.getAll(ofShare(shortId)))) ?? [];
}

/**
 * Finds the chosen files that were not sent completely, each with its path in the share, and each once. A file without its folder matches a file of a
 * folder only if it can be no other one.
 */
export function findPending(pending: readonly PendingFile[], chosen: readonly ChosenFile[]): readonly ChosenFile[] {
  const left = new Set(chosen);
  const found = new Map<PendingFile, File>();
  const rules: readonly ((one: PendingFile, chosen: ChosenFile) => boolean)[] = [
    ({ path }, chosen) => path === chosen.path,
    ({ path }) => !path.includes("/"),
    (_, { file }) => chosen.length === 1 && pending.filter((one) => isSameFile(one, file)).length === 1,
  ];
  for (const rule of rules)
    for (const one of pending) {
      const match = found.has(one) ? undefined : [...left].find((chosen) => isSameFile(one, chosen.file) && rule(one, chosen));
      if (match === undefined) continue;
      found.set(one, match.file);
      left.delete(match);
    }
  return pending.flatMap((one) => {
    const file = found.get(one);
    return file ? [{ path: one.path, file }] : [];
  });
}

const isSameFile = (pending: PendingFile, { name, size, lastModified }: File): boolean =>
  pending.name === name && pending.sizeBytes === size && pending.lastModified === lastModified;

interface SentContent extends Content {
  readonly shortId: string;
  readonly path: string;
}

/** Finds the content of a file that was sent from this device; undefined if it is not known. */
export const findContent = (shortId: string, path: string): Promise<Content | undefined> =>
  inStore<SentContent | undefined>("sent", "readonly", (store) => store.get([shortId, path])).catch(() => undefined);

/**
 * Creates the memory of a share's upload. Without storage, it remembers nothing: the upload works, but cannot be continued. An encrypted upload
 * continues only with its latest state, which shows what was sent with its nonce. If that state cannot be saved, the earlier one is removed.
 */
export function createMemory(shortId: string): ResumeRecords {
  const ignore = (): undefined => undefined;
  /** The paths of files of which the device has the state of an encryption. */
  const sealedPaths = new Set<string>();

  const put = (path: string, { initKey, partSize, uploadId, sealed }: ResumeRecord): Promise<undefined> =>
    inStore<undefined>("pending", "readwrite", (store) => {
      const request = store.get([shortId, path]) as IDBRequest<PendingFile | undefined>;
      request.onsuccess = () => {
        if (request.result) store.put({ ...request.result, initKey, partSize, uploadId, sealed });
      };
      return undefined;
    });

  const forget = (paths: readonly string[]): Promise<undefined> =>
    inStore<undefined>("pending", "readwrite", (store) => {
      for (const path of paths) store.delete([shortId, path]);
      return undefined;
    });

  async function removeSealed(path: string): Promise<void> {
    if (!sealedPaths.has(path)) return;
    try {
      // A full storage may accept the deletion only.
      await put(path, {}).catch(() => forget([path]));
    } catch {
      throw new PermanentFailure(texts.notRemembered);
    }
    sealedPaths.delete(path);
  }

  return {
    async find(path) {
      const record = await inStore<PendingFile | undefined>("pending", "readonly", (store) => store.get([shortId, path])).catch(ignore);
      if (record?.sealed) sealedPaths.add(path);
      return record;
    },
    async save(path, record) {
      try {
        await put(path, record);
        if (record.sealed) sealedPaths.add(path);
      } catch {
        if (record.sealed) await removeSealed(path);
      }
    },
    saveContents: (files) =>
      inStores<undefined>(["pending", "sent"], "readwrite", (transaction) => {
        for (const { path, content } of files) {
          transaction.objectStore("pending").delete([shortId, path]);
          if (content) transaction.objectStore("sent").put({ shortId, path, ...content } satisfies SentContent);
        }
        return undefined;
      }).catch(ignore),
    forget: (paths) => forget(paths).catch(ignore),
  };
}
