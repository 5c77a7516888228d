import { openDiskStore } from "../../../src/blobs/disk/disk-store.ts";

/** Writes a mark to the store in the folder that is named. */
const store = await openDiskStore({ dir: process.argv[2] ?? "", minFreeBytes: 0 });
await store.marks.write("identity", "text");
