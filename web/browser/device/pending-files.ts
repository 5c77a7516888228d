/** The files of shares that are not sent yet: which ones, and the sessions of large ones. */
import type { FileMemory, UploadMemory } from "../upload/memory.ts";
import { inStore } from "./database.ts";

export interface PendingFile extends FileMemory {
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

/** The keys of a share's files. */
export const ofShare = (shortId: string): IDBKeyRange => IDBKeyRange.bound([shortId], [shortId, []]);

export const toPending = (shortId: string, files: readonly ChosenFile[]): readonly PendingFile[] =>
  files.map(({ path, file: { name, size, lastModified } }) => ({ shortId, path, name, sizeBytes: size, lastModified }));

export async function listPending(shortId: string): Promise<readonly PendingFile[]> {
  return (await inStore<PendingFile[]>("pending", "readonly", (store) => store.getAll(ofShare(shortId)))) ?? [];
}

/** The chosen files that were not sent to the end, each with its path in the share. */
export function findPending(pending: readonly PendingFile[], chosen: readonly ChosenFile[]): readonly ChosenFile[] {
  return pending.flatMap((one) => {
    const found = chosen.find(
      ({ path, file }) => isSameFile(one, file) && (!one.path.includes("/") || path === one.path || chosen.length === 1),
    );
    return found ? [{ path: one.path, file: found.file }] : [];
  });
}

const isSameFile = (pending: PendingFile, { name, size, lastModified }: File): boolean =>
  pending.name === name && pending.sizeBytes === size && pending.lastModified === lastModified;

/** The memory of a share's upload. Without storage, it remembers nothing: the upload works, but cannot be continued. */
export function createMemory(shortId: string): UploadMemory {
  const ignore = (): undefined => undefined;
  return {
    find: (path) => inStore<PendingFile | undefined>("pending", "readonly", (store) => store.get([shortId, path])).catch(ignore),
    save: (path, { initKey, partSize, uploadId }) =>
      inStore<undefined>("pending", "readwrite", (store) => {
        const request = store.get([shortId, path]) as IDBRequest<PendingFile | undefined>;
        request.onsuccess = () => {
          if (request.result) store.put({ ...request.result, initKey, partSize, uploadId });
        };
        return undefined;
      }).catch(ignore),
    forget: (paths) =>
      inStore<undefined>("pending", "readwrite", (store) => {
        for (const path of paths) store.delete([shortId, path]);
        return undefined;
      }).catch(ignore),
  };
}
