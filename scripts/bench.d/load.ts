import { join } from "node:path";
import type { Bench } from "./bench.ts";

export interface WrkTargets {
  /**
   * The paths of requests. `rotate`: all paths in order; `random`: `prefix` with a random name from the file; `post`: the file as a body to the path
   * `prefix`.
   */
  readonly mode: "rotate" | "random" | "post";
  readonly path: string;
  readonly prefix?: string;
  /** Headers of each request, such as `Name: value`. */
  readonly headers?: readonly string[];
}

/** Sends requests on 16 connections for a second. Resolves to requests per second, 0 if the server did not respond; rejects if a request fails. */
export async function wrkRequestsPerSecond(bench: Bench, url: string, targets: WrkTargets): Promise<number> {
  const { requests, seconds } = await wrk(bench, url, targets);
  return requests / seconds;
}

/** Runs the same load. Resolves to the number of responses and the time. */
export async function wrk(bench: Bench, url: string, targets: WrkTargets): Promise<{ requests: number; seconds: number }> {
  const script = join(bench.root, "scripts", "bench.d", "wrk.lua");
  const output = await bench.processes.run("wrk", [
    ...["--threads", "1", "--connections", "16", "--duration", "1s", "--script", script],
    ...(targets.headers ?? []).flatMap((header) => ["--header", header]),
    ...[url, "--", targets.mode, targets.path, ...(targets.prefix === undefined ? [] : [targets.prefix])],
  ]);
  const line = output.split("\n").findLast((one) => one.startsWith("{"));
  const result = JSON.parse(line ?? "{}") as { requests?: number; microseconds?: number; failed?: number };
  if (result.requests === undefined || !result.microseconds || result.failed !== 0)
    throw new Error(`the load on ${url} went wrong: ${output.trim()}`);
  return { requests: result.requests, seconds: result.microseconds / 1e6 };
}

/** Downloads once, following redirects, and discards the bytes. Resolves to the time. */
export async function curlDownload(bench: Bench, url: string, sizeBytes: number): Promise<number> {
  const output = await bench.processes.run("curl", [
    "-s",
    "-S",
    "-f",
    "-L",
    "-o",
    "/dev/null",
    "-w",
    "%{time_total} %{size_download}",
    url,
  ]);
  const [seconds = 0, bytes = 0] = output.split(" ").map(Number);
  if (bytes !== sizeBytes) throw new Error(`${url} sent ${bytes} bytes instead of ${sizeBytes}`);
  return seconds;
}

export interface CurlUpload {
  readonly seconds: number;
  readonly body: string;
}

/** Uploads with `curl -T`. */
export async function curlUpload(
  bench: Bench,
  file: string,
  url: string,
  headers: readonly string[] = [],
  rate?: string,
): Promise<CurlUpload> {
  const output = await bench.processes.run("curl", [
    ...(rate === undefined ? [] : ["--limit-rate", rate]),
    ...["-s", "-S", "-f", "-w", "\n%{time_total}", ...headers.flatMap((header) => ["-H", header])],
    ...["-T", file, url],
  ]);
  const end = output.lastIndexOf("\n");
  return { seconds: Number(output.slice(end + 1)), body: output.slice(0, end) };
}

export function megabytesPerSecond(bytes: number, seconds: number): number {
  return bytes / (1024 * 1024) / seconds;
}
