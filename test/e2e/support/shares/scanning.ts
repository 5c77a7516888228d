import assert from "node:assert/strict";
import { crc32, deflateRawSync } from "node:zlib";
import { until } from "../../../support/until.ts";
import { type ApiResponse, authorize, call, getShare } from "../api/api.ts";

type Server = { readonly url: string };

/** Waits until the scan of a share has ended; resolves to the share's metadata. */
export async function waitForScan(server: Server, shortId: string, deadlineMs = 30_000): Promise<ApiResponse["body"]> {
  return await until(
    "the scan has ended",
    async () => {
      const body = await getShare(server, shortId);
      return body.scanStatus === "clean" || body.scanStatus === "unavailable" ? body : undefined;
    },
    { deadlineMs },
  );
}

/** Waits until a share has this scan status. */
export async function waitForScanStatus(server: Server, shortId: string, status: string): Promise<void> {
  await until(`the scan status is ${status}`, async () => (await getShare(server, shortId)).scanStatus === status);
}

/** Reads the status and the HTML of a share's page. */
export async function readPage(server: Server, shortId: string): Promise<{ status: number; html: string }> {
  const response = await fetch(`${server.url}/d/${shortId}`);
  return { status: response.status, html: await response.text() };
}

/** Asserts the exact 409 response of downloads, "Getting a signed URL". */
export async function assertPending(server: Server, fileId: string): Promise<void> {
  const { status, headers, body } = await authorize(server, fileId);
  const { error, retryAfterSeconds, ...rest } = body;
  assert.equal(status, 409, JSON.stringify(body));
  assert.deepEqual(rest, { success: false, errorCode: "SCAN_PENDING", scanPending: true });
  assert.equal(typeof error, "string");
  assert.equal(retryAfterSeconds, 15);
  assert.equal(headers.get("retry-after"), "15");
}

/** Asserts the exact 404 response of downloads, "Getting a signed URL", and a page that states the reason. */
export async function assertBlocked(
  server: Server,
  { id, shortId }: { id: string; shortId: string },
  pageText = /This file is blocked/,
): Promise<void> {
  const { status, body } = await authorize(server, id);
  const { error, ...rest } = body;
  assert.equal(status, 404, JSON.stringify(body));
  assert.deepEqual(rest, { success: false, errorCode: "SCAN_BLOCKED", scanBlocked: true });
  assert.equal(typeof error, "string");
  const page = await readPage(server, shortId);
  assert.equal(page.status, 404);
  assert.match(page.html, pageText);
}

interface ScannerHealth {
  readonly status: string;
  readonly checks: {
    readonly scanner: { readonly ok: boolean; readonly mode: string; readonly reason?: string; readonly selfTest?: boolean };
  };
}

/** Waits until the server is healthy, with its scanner tested. Under load, the scanner may take longer than a health check waits for it. */
export const untilHealthy = (server: Server): Promise<unknown> =>
  until("the server is healthy", async () => {
    const { status, body } = await getHealth(server);
    assert.equal(status, 200, JSON.stringify(body));
    return true;
  });

export const getHealth = (server: Server): Promise<ApiResponse<ScannerHealth>> => call(server, "GET", "/health");

/** Makes a ZIP archive with one compressed member. */
export function zipOf(name: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const data = deflateRawSync(bytes);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt16LE(33, 8);
  common.writeUInt32LE(crc32(bytes), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(bytes.length, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, Buffer.from(name), data]);
  const central = Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return new Uint8Array(Buffer.concat([local, central, end]));
}
