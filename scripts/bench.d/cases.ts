/** One line of the report, as `--json` prints it; null if there is no peer to compare with. */
export interface Row {
  readonly case: string;
  readonly ours: number;
  readonly peer: number | null;
  readonly ratio: number | null;
  /** What the runtime's bare server reached, and our ratio to it. */
  readonly runtime: number | null;
  readonly ofRuntime: number | null;
  readonly unit: string;
  readonly peakRssMb: number | null;
}

/** The bar that a case must reach. */
export interface Bar {
  readonly text: string;
  readonly reached: (row: Row) => boolean;
}

/** The kind of the server's store, which determines the cases. */
export type Storage = "disk" | "s3";

export interface Case {
  readonly name: string;
  /** The kind of store; default: `disk`. */
  readonly storage?: Storage;
  /** The unit. `CPU s/GB`, `CPU s/1000`: user and system processor time of our server per gigabyte or per thousand requests. */
  readonly unit: "MB/s" | "requests/s" | "files/s" | "ms" | "s" | "MB" | "KB" | "CPU s/GB" | "CPU s/1000";
  readonly bar?: Bar;
  /** The case to compare with, in place of a peer. */
  readonly against?: string;
}

const MEMORY_BAR_MB = 150;
/** The memory bar on S3, where parts are buffered while they are sent to the store, so that they can be sent again. */
const S3_MEMORY_BAR_MB = 200;
/** The tolerance of the peak for a gigabyte above the peak for 64 MB, for noise of the garbage collector. */
const GROWTH_BAR_MB = 16;

/** All cases, in the order of the report. MB and GB are powers of 1024. */
export const CASES: readonly Case[] = [
  {
    name: "send-to-receive",
    unit: "s",
    against: "send-to-receive-late",
    bar: { text: "<= 0.7 x scanned after the upload", reached: ({ ratio }) => ratio !== null && ratio <= 0.7 },
  },
  { name: "send-to-receive-late", unit: "s" },
  { name: "download-1g-anonymous", unit: "MB/s", bar: ofRuntime(0.9) },
  { name: "download-1g-sent", unit: "MB/s", bar: ofRuntime(0.9) },
  { name: "download-1m-16", unit: "MB/s", bar: ofRuntime(0.9) },
  { name: "download-1g-owned", unit: "MB/s", bar: ofRuntime(0.9) },
  { name: "download-1m-16-owned", unit: "MB/s", bar: ofRuntime(0.9) },
  { name: "download-10k-16", unit: "requests/s", bar: ofRuntime(0.6) },
  { name: "upload-1g", unit: "MB/s", bar: ofRuntime(1) },
  { name: "upload-1g-parts", unit: "MB/s", bar: ofRuntime(0.85) },
  {
    name: "complete-1g",
    unit: "ms",
    bar: { text: "< 50 ms + one fsync", reached: (row) => row.peer !== null && row.ours < 50 + row.peer },
  },
  { name: "upload-10k-16", unit: "files/s", bar: ofRuntime(0.4) },
  { name: "upload-10k-key", unit: "files/s" },
  { name: "upload-batch-10k", unit: "files/s", against: "upload-10k-16" },
  { name: "browser-upload-2g", unit: "MB/s" },
  { name: "browser-upload-encrypted-2g", unit: "MB/s" },
  { name: "browser-1000x10k", unit: "files/s" },
  { name: "up-2g", unit: "MB/s", bar: { text: ">= 1 x curl -T", reached: isAtLeast(1) } },
  { name: "up-2g-rclone", unit: "MB/s" },
  { name: "up-2g-rsync", unit: "MB/s" },
  { name: "down-2g", unit: "MB/s", bar: { text: ">= 1 x curl -O", reached: isAtLeast(1) } },
  { name: "down-2g-rclone", unit: "MB/s" },
  { name: "down-2g-rsync", unit: "MB/s" },
  { name: "up-10000x10k", unit: "files/s", bar: { text: ">= 3 x curl -T", reached: isAtLeast(3) } },
  { name: "up-10000x10k-rclone", unit: "files/s" },
  { name: "up-10000x10k-rsync", unit: "files/s" },
  { name: "down-10000x10k", unit: "files/s", bar: { text: ">= 3 x curl -O", reached: isAtLeast(3) } },
  { name: "down-10000x10k-rclone", unit: "files/s" },
  { name: "down-10000x10k-rsync", unit: "files/s" },
  { name: "share-1k", unit: "requests/s", bar: ofRuntime(0.3) },
  {
    name: "share-1m",
    unit: "requests/s",
    against: "share-1k",
    bar: ofRuntime(0.3),
  },
  {
    name: "share-page",
    unit: "requests/s",
    against: "share-1k",
    bar: ofRuntime(0.2),
  },
  { name: "share-anonymous", unit: "CPU s/1000" },
  { name: "share-key", unit: "CPU s/1000", against: "share-anonymous" },
  {
    name: "share-session",
    unit: "CPU s/1000",
    against: "share-anonymous",
    bar: { text: "<= 1.1 x share-anonymous", reached: (row) => row.ratio !== null && row.ratio <= 1.1 },
  },
  { name: "http-file-info", unit: "requests/s" },
  { name: "mcp-file-info", unit: "requests/s", against: "http-file-info", bar: ofCase("http-file-info", 0.5) },
  { name: "mcp-file-info-2025", unit: "requests/s", against: "http-file-info", bar: ofCase("http-file-info", 0.5) },
  { name: "http-list-files", unit: "requests/s" },
  { name: "mcp-list-files", unit: "requests/s", against: "http-list-files", bar: ofCase("http-list-files", 0.5) },
  { name: "mcp-sessions", unit: "MB" },
  { name: "sign-in", unit: "CPU s/1000" },
  { name: "sign-in-wrong", unit: "CPU s/1000" },
  {
    name: "sign-in-unknown",
    unit: "CPU s/1000",
    against: "sign-in-wrong",
    bar: { text: "0.9 to 1.1 x sign-in-wrong", reached: (row) => row.ratio !== null && row.ratio >= 0.9 && row.ratio <= 1.1 },
  },
  { name: "shipment-page", unit: "requests/s" },
  { name: "shipment-page-size", unit: "KB", bar: { text: "< 60 KB", reached: (row) => row.ours < 60 } },
  { name: "list-50-of-100k", unit: "ms", bar: { text: "< 5 ms", reached: (row) => row.ours < 5 } },
  { name: "list-50-anywhere", unit: "ms", bar: { text: "< 5 ms", reached: (row) => row.ours < 5 } },
  { name: "list-100-ordered", unit: "ms", bar: { text: "< 50 ms", reached: (row) => row.ours < 50 } },
  { name: "list-100-searched", unit: "ms", bar: { text: "< 50 ms", reached: (row) => row.ours < 50 } },
  { name: "list-ids", unit: "ms", bar: { text: "< 50 ms", reached: (row) => row.ours < 50 } },
  { name: "files-page", unit: "ms", bar: { text: "< 50 ms", reached: (row) => row.ours < 50 } },
  { name: "list-50-of-1m-places", unit: "ms", bar: ofSinglePlaces() },
  { name: "share-of-1m-places", unit: "ms", bar: ofSinglePlaces() },
  { name: "authorize-of-1m-places", unit: "ms", bar: ofSinglePlaces() },
  {
    name: "archive-1000x1m",
    unit: "MB/s",
    bar: { text: ">= 0.6 x one plain download", reached: (row) => row.ratio !== null && row.ratio >= 0.6 },
  },
  { name: "expiry-100k", unit: "s" },
  {
    name: "expiry-100k-p99",
    unit: "ms",
    bar: { text: "<= 5 x idle", reached: (row) => row.ratio !== null && row.ratio <= 5 },
  },
  { name: "thumbnails", unit: "files/s" },
  { name: "webhooks-1000", unit: "s" },
  { name: "memory-64m", unit: "MB", bar: { text: `< ${MEMORY_BAR_MB} MB`, reached: (row) => row.ours < MEMORY_BAR_MB } },
  {
    name: "memory-1g",
    unit: "MB",
    against: "memory-64m",
    bar: {
      text: `< ${MEMORY_BAR_MB} MB, no growth`,
      reached: (row) => row.ours < MEMORY_BAR_MB && row.ratio !== null && row.ours - row.ours / row.ratio <= GROWTH_BAR_MB,
    },
  },
  { name: "start-up", unit: "ms", bar: { text: "< 300 ms", reached: (row) => row.ours < 300 } },
  ...["s3-upload-1g", "s3-upload-1g-parts", "s3-upload-1g-direct", "s3-download-1g", "s3-download-1g-redirect"].flatMap(withCpu),
  { name: "s3-metadata-file", storage: "s3", unit: "CPU s/1000" },
  { name: "s3-metadata-1-node", storage: "s3", unit: "CPU s/1000", against: "s3-metadata-file" },
  { name: "s3-metadata-2-nodes", storage: "s3", unit: "CPU s/1000", against: "s3-metadata-1-node" },
];

/** Lists the cases of one kind of store. */
export const casesOf = (storage: Storage): readonly Case[] => CASES.filter((one) => (one.storage ?? "disk") === storage);

/** Returns the maximum peak memory of a case, in MB. */
export const memoryBarMb = (caseName: string): number =>
  CASES.find((one) => one.name === caseName)?.storage === "s3" ? S3_MEMORY_BAR_MB : MEMORY_BAR_MB;

/** Whether the server stayed below its memory bar; undefined if not measured. */
export function memoryReached(row: Row): boolean | undefined {
  return row.peakRssMb === null ? undefined : row.peakRssMb < memoryBarMb(row.case);
}

/** Returns the name of the case with the CPU seconds of a transfer. */
export function cpuCase(transfer: string): string {
  return `${transfer}-cpu`;
}

/** Makes the cases of a transfer on S3: its speed compared with the store itself, and the CPU time of our server. */
function withCpu(name: string): Case[] {
  return [
    { name, storage: "s3", unit: "MB/s" },
    { name: cpuCase(name), storage: "s3", unit: "CPU s/GB" },
  ];
}

function ofRuntime(least: number): Bar {
  return { text: `>= ${least} x bare Bun`, reached: ({ ofRuntime: ratio }) => ratio !== null && ratio >= least };
}

/** The bar of an account's files with several places: about as fast as with one place each. */
function ofSinglePlaces(): Bar {
  return { text: "<= 1.2 x one place each", reached: ({ ratio }) => ratio !== null && ratio <= 1.2 };
}

function ofCase(name: string, least: number): Bar {
  return { text: `>= ${least} x ${name}`, reached: isAtLeast(least) };
}

function isAtLeast(least: number): Bar["reached"] {
  return ({ ratio }) => ratio !== null && ratio >= least;
}
