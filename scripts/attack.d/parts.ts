import { createHash, randomBytes } from "node:crypto";
import { type Attack, countStatuses, GB, MB } from "./attack.ts";
import { ask, askJson, hold } from "./http.ts";

const PART_BYTES = 64 * MB;
const WRITERS = 30;
const FROM = "198.51.100.1";

/** Sends a stored part repeatedly, each time without its end. */
export const repeatedParts: Attack = {
  name: "parts",
  summary: `${WRITERS} PUTs at once of one 64 MB part that has arrived`,
  roomBytes: 1.5 * GB,
  async start(target) {
    const part = randomBytes(PART_BYTES);
    const sha256 = createHash("sha256").update(part).digest("hex");
    const session = await askJson<{ uploadId: string; key: string; totalParts: number }>(`${target.url}/api/files/multipart/init`, {
      ...{ method: "POST", from: FROM },
      json: { fileName: "parts.bin", fileSize: 2 * PART_BYTES, partSize: PART_BYTES },
    });
    const { urls } = await askJson<{ urls: Record<string, string> }>(`${target.url}/api/files/multipart/batch-urls`, {
      ...{ method: "POST", from: FROM },
      json: { uploadId: session.uploadId, key: session.key, totalParts: session.totalParts, partDigests: { "1": sha256 } },
    });
    const url = urls["1"] ?? "";
    const arrived = await ask(url, { method: "PUT", from: FROM, body: part });
    if (arrived.status !== 200) throw new Error(`The part returned ${arrived.status}: ${arrived.body}`);
    const beforeBytes = await target.diskBytes();
    const headers = { "content-length": String(PART_BYTES) };
    const held = await Promise.all(
      Array.from({ length: WRITERS }, () => hold(url, { method: "PUT", from: FROM, headers, body: part.subarray(0, PART_BYTES - MB) })),
    );
    return {
      async end() {
        const tookMb = Math.round(((await target.diskBytes()) - beforeBytes) / MB);
        const roomMb = Math.round((await target.roomBytes()) / MB);
        const statuses = countStatuses(held.map((one) => one.status()));
        for (const one of held) one.end();
        return { text: `${statuses}; disk ${tookMb} MB more, ${roomMb} MB above FILEHOST_MIN_FREE`, isBounded: roomMb > 0 };
      },
    };
  },
};
