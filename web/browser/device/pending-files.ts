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

const ofShare = (shortId: string): IDBKeyRange => IDBKeyRange.bound([shortId], [shortId, []]);

export async function savePending(shortId: string, files: readonly { readonly path: string; readonly file: File }[]): Promise<void> {
  await inStore("pending", "readwrite", (store) => {
    for (const { path, file } of files) {
      store.put({ shortId, path, name: file.name, sizeBytes: file.size, lastModified: file.lastModified } satisfies PendingFile);
    }
    return undefined;
  });
}

export async function listPending(shortId: string): Promise<readonly PendingFile[]> {
  return (await inStore<PendingFile[]>("pending", "readonly", (store) => store.getAll(ofShare(shortId)))) ?? [];
}

/** Whether a chosen file is one that was not sent to the end. */
export const isSameFile = (pending: PendingFile, { name, size, lastModified }: File): boolean =>
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
