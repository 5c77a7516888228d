import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { type Filehost, readUpload, type Uploaded } from "./filehost.ts";
import type { PartFile } from "./files.ts";

const AT_ONCE = 6;

export interface PartsUpload {
  readonly file: Uploaded;
  /** The time from `init` to the response of `complete`. */
  readonly seconds: number;
  /** The duration of `complete`. */
  readonly completeMs: number;
}

interface PartsSession {
  readonly uploadId: string;
  readonly key: string;
  /** The URL of each part, by number. */
  readonly urls: Readonly<Record<string, string>>;
}

/** Uploads the parts, six at the same time, like a client of the multipart routes. */
export async function uploadInParts(bench: Bench, host: Filehost, parts: readonly PartFile[], sizeBytes: number): Promise<PartsUpload> {
  const started = performance.now();
  const { uploadId, key, urls } = await startParts(host, parts, sizeBytes);
  await sendParts(bench, parts, urls);
  const sent = performance.now();
  const file = await call<unknown>(host, "complete", { uploadId, key });
  const ended = performance.now();
  return { file: readUpload(JSON.stringify(file)), seconds: (ended - started) / 1000, completeMs: ended - sent };
}

/** Creates an upload session and requests the parts' URLs. */
async function startParts(host: Filehost, parts: readonly PartFile[], sizeBytes: number): Promise<PartsSession> {
  const session = await call<{ uploadId: string; key: string; totalParts: number }>(host, "init", {
    fileName: "large.bin",
    fileSize: sizeBytes,
  });
  if (session.totalParts !== parts.length) throw new Error(`${session.totalParts} parts were asked for instead of ${parts.length}`);
  const { urls } = await call<{ urls: Record<string, string> }>(host, "batch-urls", {
    uploadId: session.uploadId,
    key: session.key,
    totalParts: parts.length,
    partDigests: Object.fromEntries(parts.map((part) => [String(part.number), part.sha256])),
  });
  return { ...session, urls };
}

/** Waits until the server has detected the store's capabilities and sends clients to `origin`. */
export async function waitUntilPresigned(
  host: Filehost,
  parts: readonly PartFile[],
  { sizeBytes, origin }: PresignedOptions,
): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (performance.now() < deadline) {
    const { uploadId, key, urls } = await startParts(host, parts, sizeBytes);
    await call(host, "abort", { uploadId, key });
    if (Object.values(urls).every((url) => url.startsWith(`${origin}/`))) return;
    await sleep(50);
  }
  throw new Error("parts never went straight to the store; the server's log is in the bench's folder");
}

interface PresignedOptions {
  readonly sizeBytes: number;
  readonly origin: string;
}

/** Sends each part to its URL with one curl, six at the same time, without the header `Expect`, which only curl sends. */
export async function sendParts(bench: Bench, parts: readonly PartFile[], urls: Readonly<Record<string, string>>): Promise<void> {
  const path = join(bench.dir, "parts.curl");
  const stanzas = parts.map((part) =>
    [
      `url = "${urls[String(part.number)] ?? ""}"`,
      `upload-file = "${part.path}"`,
      'header = "Expect:"',
      'output = "/dev/null"',
      'write-out = "%{http_code}\\n"',
      "silent",
    ].join("\n"),
  );
  await writeFile(path, `${stanzas.join("\nnext\n")}\n`);
  const statuses = await bench.processes.run("curl", [
    "--parallel",
    "--parallel-immediate",
    "--parallel-max",
    String(AT_ONCE),
    "--config",
    path,
  ]);
  const refused = statuses
    .trim()
    .split("\n")
    .filter((status) => status !== "200");
  if (refused.length > 0) throw new Error(`parts returned ${refused.join(", ")}`);
}

async function call<T>(host: Filehost, route: string, body: unknown): Promise<T> {
  const response = await fetch(`${host.url}/api/files/multipart/${route}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`multipart/${route} returned ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
