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

export interface Case {
  readonly name: string;
  readonly unit: "MB/s" | "requests/s" | "files/s" | "ms" | "s" | "MB";
  readonly bar?: Bar;
  /** Another case that takes the place of a peer. */
  readonly against?: string;
}

const MEMORY_BAR_MB = 150;
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
];

/** Whether the server stayed below its memory bar; undefined where it was not measured. */
export function memoryReached(row: Row): boolean | undefined {
  return row.peakRssMb === null ? undefined : row.peakRssMb < MEMORY_BAR_MB;
}

function ofPeer(least: number): Bar {
  return { text: `>= ${least} x nginx`, reached: (row) => row.ratio !== null && row.ratio >= least };
}
