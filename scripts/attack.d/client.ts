import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, askJson } from "./http.ts";
import type { Origin } from "./origin.ts";
import type { Target } from "./target.ts";

/** The steps of a normal client, in order. */
export const STEPS = ["upload", "scan", "download", "import"] as const;
export type Step = (typeof STEPS)[number];

/** The duration of each step in each round, in milliseconds; for a failed step, its reason. */
export type Rounds = Readonly<Record<Step, readonly (number | string)[]>>;

export interface VisitOptions {
  readonly origin: Origin;
  readonly rounds: number;
  /** Runs before each round. */
  readonly beforeRound?: (() => Promise<void>) | undefined;
}

const UPLOAD_BYTES = 2 * 1024 * 1024;
const POLL_MS = 10;
/** The number of visits. Each visit uses another address, with separate limits. */
let visits = 0;

/** Uploads 2 MB, waits for the scan, downloads the file, and imports 1 MB; repeats this. */
export async function visit(target: Target, { origin, rounds, beforeRound }: VisitOptions): Promise<Rounds> {
  const took: Record<Step, (number | string)[]> = { upload: [], scan: [], download: [], import: [] };
  for (let round = 0; round < rounds; round++) {
    await beforeRound?.();
    const from = `203.0.${113 + (visits >> 8)}.${visits++ & 255}`;
    const file = await timed(took.upload, () => upload(target, from));
    if (file) {
      await timed(took.scan, () => untilClean(target, { from, shortId: file.shortId }));
      await timed(took.download, () => download(target, { from, fileId: file.id }));
    }
    await timed(took.import, () => importFile(target, { from, url: origin.fileUrl }));
  }
  return took;
}

async function timed<T>(into: (number | string)[], work: () => Promise<T>): Promise<T | undefined> {
  const startedMs = performance.now();
  try {
    const result = await work();
    into.push(performance.now() - startedMs);
    return result;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    into.push(/^\d{3}\b/.exec(reason)?.[0] ?? (error instanceof Error && /abort|timeout/i.test(error.name) ? "no response" : reason));
    return undefined;
  }
}

interface Uploaded {
  readonly id: string;
  readonly shortId: string;
}

async function upload(target: Target, from: string): Promise<Uploaded> {
  const body = randomBytes(UPLOAD_BYTES);
  const response = await ask(`${target.url}/visit.bin`, { method: "PUT", from, headers: { accept: "application/json" }, body });
  if (response.status !== 200) throw new Error(`${response.status} ${response.body}`);
  return (JSON.parse(response.body.toString()) as { data: Uploaded }).data;
}

/** Polls from several addresses, because polling every ten milliseconds would exceed the rate of one address. */
async function untilClean(target: Target, { from, shortId }: { from: string; shortId: string }): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (let look = 0; performance.now() < deadline; look++) {
    const pollsFrom = look < 40 ? from : `192.0.2.${look % 256}`;
    const share = await askJson<{ scanStatus: string }>(`${target.url}/api/files/share/${shortId}`, { from: pollsFrom });
    if (share.scanStatus === "clean") return;
    await sleep(POLL_MS);
  }
  throw new Error("no verdict");
}

async function download(target: Target, { from, fileId }: { from: string; fileId: string }): Promise<void> {
  const { url } = await askJson<{ url: string }>(`${target.url}/api/files/download/${fileId}`, { from });
  const response = await ask(url, { from });
  if (response.status !== 200 || response.body.length !== UPLOAD_BYTES) throw new Error(`${response.status} of a download`);
}

async function importFile(target: Target, { from, url }: { from: string; url: string }): Promise<void> {
  const started = await askJson<{ data: { jobId: string; jobSecret: string } }>(`${target.url}/api/files/remote-multipart/init`, {
    method: "POST",
    from,
    json: { url },
  });
  const { jobId, jobSecret } = started.data;
  const deadline = performance.now() + 30_000;
  for (let look = 0; performance.now() < deadline; look++) {
    const asksFrom = look < 40 ? from : `192.0.2.${look % 256}`;
    const status = await askJson<{ data: { status: string; error: string | null } }>(
      `${target.url}/api/files/remote-multipart/${jobId}?secret=${encodeURIComponent(jobSecret)}`,
      { from: asksFrom },
    );
    if (status.data.status === "completed") return;
    if (status.data.status !== "queued" && status.data.status !== "importing") throw new Error(status.data.error ?? status.data.status);
    await sleep(POLL_MS);
  }
  throw new Error("not imported in 30 s");
}
