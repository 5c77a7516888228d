import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { findFreePort, waitUntilResponds } from "./ports.ts";

/** The fields of an upload's response that the bench uses. */
export interface Uploaded {
  readonly id: string;
  readonly shortId: string;
  readonly deletionToken?: string;
}

export interface Filehost {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** The time from the start of the process to its first 200. */
  readonly startMs: number;
  stop(): Promise<void>;
}

const PLENTY_BYTES = 1024 ** 4;
const TIER = { fileBytes: PLENTY_BYTES, storageBytes: 100 * PLENTY_BYTES, storageMaxBytes: 100 * PLENTY_BYTES, files: 1_000_000 };

/** The changed settings, for the report; all others are defaults. */
export const LIFTED =
  "rate limits off (upload-10k-key: on, the rate of its key raised), scanner off (send-to-receive: clamd with one signature), size limits, quotas and numbers of files of all tiers raised, log at warn";

/** Settings of a case that differ from the settings of other cases. */
export type Overrides = Readonly<Record<string, string>>;

/** Returns the settings of our server and its commands for a data folder. */
function settings(dataDir: string): Record<string, string> {
  return {
    FILEHOST_DATA: dataDir,
    FILEHOST_LIMITS: JSON.stringify({
      tiers: { anonymous: TIER, free: TIER, pro: TIER },
    }),
    FILEHOST_RATE_LIMITS: "off",
    FILEHOST_SCANNER: "off",
    FILEHOST_MIN_FREE: "64MB",
    FILEHOST_LOG: "warn:json",
  };
}

/** Starts our server on the servers' core, with the named data folder of the bench. */
export async function startFilehost(bench: Bench, dataName: string, overrides: Overrides = {}): Promise<Filehost> {
  const dataDir = join(bench.dir, dataName);
  await mkdir(dataDir, { recursive: true });
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const server = bench.processes.start({
    command: join(bench.root, "filehost"),
    args: ["serve"],
    env: { ...settings(dataDir), FILEHOST_LISTEN: `127.0.0.1:${port}`, FILEHOST_URL: url, ...overrides },
    core: bench.cores.server,
    logPath: join(bench.dir, `${dataName}.log`),
  });
  await waitUntilResponds(`${url}/health/live`, server);
  return { url, pid: server.pid, dataDir, startMs: performance.now() - started, stop: () => server.stop() };
}

/** Makes a signed download URL of a file for which `waitUntilDone` has resolved. */
export async function signDownload(host: Filehost, fileId: string, key?: string): Promise<string> {
  const response = await fetch(`${host.url}/api/files/download/${fileId}`, { headers: authorization(key) });
  if (!response.ok) throw new Error(`download of ${fileId} returned ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { url: string }).url;
}

/** Waits for the scan and the digest after an upload, so that they do not disturb other readings. */
export async function waitUntilDone(host: Filehost, file: Uploaded): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const response = await fetch(`${host.url}/api/files/share/${file.shortId}`);
    if (!response.ok) throw new Error(`share ${file.shortId} returned ${response.status}: ${await response.text()}`);
    const share = (await response.json()) as { scanStatus: string; sha256: string | null };
    if (share.scanStatus === "clean" && share.sha256 !== null) return;
    await sleep(20);
  }
  throw new Error(`file ${file.id} was never done with`);
}

/** Deletes an anonymous file after its scan. */
export async function deleteFile(host: Filehost, file: Uploaded): Promise<void> {
  await waitUntilDone(host, file);
  const query = new URLSearchParams({ fileId: file.id, token: file.deletionToken ?? "" });
  const response = await fetch(`${host.url}/api/files/delete?${query}`, { method: "DELETE" });
  if (!response.ok) throw new Error(`deleting ${file.id} returned ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** The fields of an opened shipment that the bench uses. */
export interface OpenedShare {
  readonly shortId: string;
  readonly shareToken: string;
  readonly deletionToken: string;
}

export async function openShare(host: Filehost): Promise<OpenedShare> {
  const response = await fetch(`${host.url}/api/shares`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  if (!response.ok) throw new Error(`opening a shipment returned ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: OpenedShare }).data;
}

/** Deletes an anonymous shipment with its files. */
export async function deleteShare(host: Filehost, { shortId, deletionToken }: OpenedShare): Promise<void> {
  const query = new URLSearchParams({ fileId: shortId, token: deletionToken });
  const response = await fetch(`${host.url}/api/files/delete?${query}`, { method: "DELETE" });
  if (!response.ok) throw new Error(`deleting ${shortId} returned ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

/** Uploads bytes in one request, as `curl -T` does. */
export async function putFile(host: Filehost, name: string, bytes: Uint8Array<ArrayBuffer>, key?: string): Promise<Uploaded> {
  const response = await fetch(`${host.url}/${name}`, {
    method: "PUT",
    headers: { accept: "application/json", ...authorization(key) },
    body: bytes,
  });
  if (!response.ok) throw new Error(`upload of ${name} returned ${response.status}: ${await response.text()}`);
  return readUpload(await response.text());
}

/** Reads an upload from any form of its response. */
export function readUpload(body: string): Uploaded {
  const parsed = JSON.parse(body) as Uploaded & { data?: Uploaded };
  return parsed.data ?? parsed;
}

/** Creates a Pro user and a key with the scope full. Must be called once per data folder. */
export async function makeOwnerKey(bench: Bench, host: Filehost): Promise<string> {
  const filehost = (...args: string[]) => bench.processes.run(join(bench.root, "filehost"), [...args, "--json"], settings(host.dataDir));
  const email = "owner@bench.example";
  await filehost("users", "create", "--email", email, "--name", "Owner", "--tier", "pro", "--until", "2100-01-01T00:00:00Z");
  const made = /"(bc_[^"]+_[^"]+)"/.exec(await filehost("keys", "create", "--user", email, "--scope", "full"));
  if (made?.[1] === undefined) throw new Error("`filehost keys create` printed no key");
  return made[1];
}

export function authorization(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}
