import { join } from "node:path";
import type { Experiment } from "./bench.ts";
import {
  authorization,
  type Filehost,
  makeOwnerKey,
  readUpload,
  signDownload,
  startFilehost,
  type Uploaded,
  waitUntilDone,
} from "./filehost.ts";
import { randomBytes, writeRandomFile } from "./files.ts";
import { curlDownload, curlUpload, megabytesPerSecond } from "./load.ts";

const CASE = "archive-1000x1m";
const MB = 1024 * 1024;
const AT_ONCE = 8;

/** Measures a shipment as one ZIP against one file of the same size, owner and server. */
export const archive: Experiment = {
  cases: [CASE],
  async prepare(bench, stack) {
    const count = bench.options.quick ? 100 : 1000;
    const sender = await startFilehost(bench, "archive");
    const key = await makeOwnerKey(bench, sender);
    const shipment = await sendShipment(sender, key, count);
    const source = join(bench.dir, "large");
    await writeRandomFile(source, count * MB);
    const { body } = await curlUpload(bench, source, `${sender.url}/`, ["Accept: application/json", `Authorization: Bearer ${key}`]);
    const plain = readUpload(body);
    await waitUntilDone(sender, plain);
    await bench.processes.run("sync", []);
    // The server is restarted, to exclude the memory that the uploads used.
    await sender.stop();
    const host = await startFilehost(bench, "archive");
    stack.defer(() => host.stop());
    const zipUrl = await signArchive(host, shipment, key);
    const plainUrl = await signDownload(host, plain.id, key);
    const zipBytes = await lengthOf(zipUrl);
    const measure = (side: "ours" | "peer", url: string, bytes: number) => async () => {
      const value = megabytesPerSecond(count * MB, await curlDownload(bench, url, bytes));
      return [{ case: CASE, side, value }];
    };
    return [
      { label: "as a ZIP", pid: host.pid, measure: measure("ours", zipUrl, zipBytes) },
      { label: "plain", measure: measure("peer", plainUrl, count * MB) },
    ];
  },
};

/** Makes one share of `count` scanned files of 1 MB. Returns any of its files. */
async function sendShipment(host: Filehost, key: string, count: number): Promise<Uploaded> {
  const first = await post(host, key, { name: "file-0", fields: { openShare: "true" } });
  let next = 1;
  const files: Uploaded[] = [first];
  const client = async () => {
    while (next < count) files.push(await post(host, key, { name: `file-${next++}`, fields: { shareShortId: first.shortId } }));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  await waitUntilAllAreClean(host, first.shortId, count);
  return first;
}

async function post(host: Filehost, key: string, { name, fields }: { name: string; fields: Record<string, string> }): Promise<Uploaded> {
  const body = new FormData();
  for (const [field, value] of Object.entries(fields)) body.set(field, value);
  body.set("file", new File([randomBytes(MB)], name));
  const response = await fetch(`${host.url}/api/files/upload`, { method: "POST", headers: authorization(key), body });
  const text = await response.text();
  if (!response.ok) throw new Error(`the upload of ${name} returned ${response.status}: ${text}`);
  return readUpload(text);
}

async function waitUntilAllAreClean(host: Filehost, shortId: string, count: number): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (performance.now() < deadline) {
    const response = await fetch(`${host.url}/api/files/share/${shortId}`);
    const { files = [] } = (await response.json()) as { files?: readonly { scanStatus: string }[] };
    if (files.filter((file) => file.scanStatus === "clean").length === count) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the shipment ${shortId} never became clean`);
}

async function signArchive(host: Filehost, { shortId }: Uploaded, key: string): Promise<string> {
  const response = await fetch(`${host.url}/api/files/share/${shortId}/archive`, { headers: authorization(key) });
  if (!response.ok) throw new Error(`archive of ${shortId} returned ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { url: string }).url;
}

async function lengthOf(url: string): Promise<number> {
  const response = await fetch(url, { method: "HEAD" });
  return Number(response.headers.get("content-length"));
}
