import type { BlobKey, BlobStore, StagedBlob } from "../../blobs/store.ts";
import { type ArrivingUpload, addPart, hasArrivedAs } from "./arriving-upload.ts";

/** Minimum size of an upload that is scanned early. The scan of a smaller one takes less than half a second. */
const MIN_BYTES = 64 * 1024 ** 2;

/** Bytes of a direct upload that may have been received but not written yet. */
const UNWRITTEN_BYTES = 4 * 1024 ** 2;

/** What learns how uploads arrive. */
export interface UploadWatcher {
  /** Called with the first bytes of a large upload. */
  start(store: BlobStore, staged: StagedBlob, sizeBytes: number): void;
  find(key: BlobKey): ArrivingUpload | undefined;
  /** Called with the number of bytes from the start of the upload that can be read now. */
  advance(upload: ArrivingUpload, readableBytes: number): void;
  /** Called for an upload that was discarded, removed, or committed with other parts than those that arrived. */
  cancel(key: BlobKey): void;
}

/** Returns the store, which reports its large uploads to the watcher; the same store if it cannot read what is staged. */
export function watchStore<Store extends BlobStore>(store: Store, { start, find, advance, cancel }: UploadWatcher): Store {
  if (!store.openStaged) return store;
  /** The sizes of large uploads of which no byte was stored yet. */
  const expected = new Map<BlobKey, number>();
  const findArriving = (staged: StagedBlob): ArrivingUpload | undefined => {
    const sizeBytes = expected.get(staged.key);
    expected.delete(staged.key);
    if (sizeBytes !== undefined) start(store, staged, sizeBytes);
    return find(staged.key);
  };
  return {
    ...store,
    async stage(key, sizeBytes, options) {
      const staged = await store.stage(key, sizeBytes, options);
      if (sizeBytes !== undefined && sizeBytes >= MIN_BYTES) expected.set(key, sizeBytes);
      return staged;
    },
    async writeAll(staged, body) {
      const upload = findArriving(staged);
      if (!upload) return await store.writeAll(staged, body);
      const counted = countBytes(body, (receivedBytes) => advance(upload, receivedBytes - UNWRITTEN_BYTES));
      const written = await store.writeAll(staged, counted);
      advance(upload, written.sizeBytes);
      return written;
    },
    async writePart(staged, part, body, onWritten) {
      return await store.writePart(staged, part, body, async (written) => {
        await onWritten(written);
        const upload = findArriving(staged);
        if (!upload) return;
        const { partNumber: part_number, offset: start_byte, sizeBytes: size_bytes, sha256 } = part;
        addPart(upload, { part_number, start_byte, size_bytes, sha256 });
        advance(upload, upload.readableBytes);
      });
    },
    async commit(staged, parts) {
      await store.commit(staged, parts);
      const upload = find(staged.key);
      if (!upload) return;
      if (hasArrivedAs(upload, parts ?? [])) upload.state = "committed";
      else cancel(staged.key);
    },
    async discard(staged) {
      expected.delete(staged.key);
      cancel(staged.key);
      await store.discard(staged);
    },
    async remove(key) {
      cancel(key);
      await store.remove(key);
    },
  };
}

/** Passes chunks on, and the number of bytes that the reader has taken. */
async function* countBytes(body: AsyncIterable<Uint8Array>, onTaken: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let takenBytes = 0;
  for await (const chunk of body) {
    yield chunk;
    takenBytes += chunk.length;
    onTaken(takenBytes);
  }
}
