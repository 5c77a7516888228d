/** One line of the report, as `--json` prints it; null where there is nothing to compare with. */
export interface Row {
  readonly case: string;
  readonly ours: number;
  readonly peer: number | null;
  readonly ratio: number | null;
  readonly unit: string;
  readonly peakRssMb: number | null;
}

/** What a case must reach. */
export interface Bar {
  readonly text: string;
  readonly reached: (row: Row) => boolean;
}

/** Where the server keeps bytes, and so which cases there are. */
export type Storage = "disk" | "s3";

export interface Case {
  readonly name: string;
  /** `disk` where it does not say. */
  readonly storage?: Storage;
  /** `CPU s/GB`, `CPU s/1000`: processor time of our server, of user and system, for a gigabyte and for a thousand requests. */
  readonly unit: "MB/s" | "requests/s" | "files/s" | "ms" | "s" | "MB" | "CPU s/GB" | "CPU s/1000";
  readonly bar?: Bar;
  /** Another case that takes the place of a peer. */
  readonly against?: string;
}

const MEMORY_BAR_MB = 150;
/** Parts on their way to the store are kept in memory, so that they can be sent again. */
const S3_MEMORY_BAR_MB = 200;
/** What the peak of a gigabyte may be above that of 64 MB: the collector's own wobble. */
const GROWTH_BAR_MB = 16;

/** In the order in which they are reported. Sizes: MB and GB are powers of 1024. */
export const CASES: readonly Case[] = [
  { name: "download-1g-anonymous", unit: "MB/s", bar: ofPeer(0.95) },
  { name: "download-1m-16", unit: "MB/s", bar: ofPeer(0.95) },
  { name: "download-1g-owned", unit: "MB/s", bar: ofPeer(0.8) },
  { name: "download-1m-16-owned", unit: "MB/s", bar: ofPeer(0.8) },
  { name: "download-10k-16", unit: "requests/s", bar: ofPeer(0.3) },
  { name: "upload-1g", unit: "MB/s", bar: ofPeer(1.5) },
  { name: "upload-1g-parts", unit: "MB/s", bar: ofPeer(2) },
  {
    name: "complete-1g",
    unit: "ms",
    bar: { text: "< 50 ms + one fsync", reached: (row) => row.peer !== null && row.ours < 50 + row.peer },
  },
  { name: "upload-10k-16", unit: "files/s" },
  { name: "upload-10k-key", unit: "files/s" },
  { name: "share-1k", unit: "requests/s", bar: { text: ">= 10000/s", reached: (row) => row.ours >= 10_000 } },
  {
    name: "share-1m",
    unit: "requests/s",
    against: "share-1k",
    bar: { text: ">= 10000/s, >= 0.8 x share-1k", reached: (row) => row.ours >= 10_000 && row.ratio !== null && row.ratio >= 0.8 },
  },
  { name: "list-50-of-100k", unit: "ms", bar: { text: "< 5 ms", reached: (row) => row.ours < 5 } },
  { name: "list-50-anywhere", unit: "ms", bar: { text: "< 5 ms", reached: (row) => row.ours < 5 } },
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

/** The cases of one kind of storage. */
export const casesOf = (storage: Storage): readonly Case[] => CASES.filter((one) => (one.storage ?? "disk") === storage);

/** The highest peak of memory, in MB, that a case may reach. */
export const memoryBarMb = (caseName: string): number =>
  CASES.find((one) => one.name === caseName)?.storage === "s3" ? S3_MEMORY_BAR_MB : MEMORY_BAR_MB;

/** Whether the server stayed below its memory bar; undefined where it was not measured. */
export function memoryReached(row: Row): boolean | undefined {
  return row.peakRssMb === null ? undefined : row.peakRssMb < memoryBarMb(row.case);
}

/** The name of the case that has the CPU seconds of a transfer. */
export function cpuCase(transfer: string): string {
  return `${transfer}-cpu`;
}

/** A transfer on S3: how fast it is beside the store itself, and what it costs our server. */
function withCpu(name: string): Case[] {
  return [
    { name, storage: "s3", unit: "MB/s" },
    { name: cpuCase(name), storage: "s3", unit: "CPU s/GB" },
  ];
}

function ofPeer(least: number): Bar {
  return { text: `>= ${least} x nginx`, reached: (row) => row.ratio !== null && row.ratio >= least };
}
