/**
 * A server of the runtime alone, which does only what cannot be left out: it sends files, answers with JSON, and stores uploads with their SHA-256,
 * synced. Usage: `bare-server.ts FOLDER PORT`.
 */
import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";

const [folder = "", port = ""] = process.argv.slice(2);

/** The metadata of a share, as long as that of our server. */
const share = () => ({
  success: true,
  data: {
    shortId: "7kXq9Zab",
    fileCount: 1,
    totalSize: 10_240,
    createdAt: new Date().toISOString(),
    files: [{ id: randomUUID(), name: "a file.bin", size: 10_240, type: "application/octet-stream", scanStatus: "clean", downloads: 0 }],
  },
});

/** Stores a body. A whole file gets its name once it is synced; a part is written at its offset in the query. */
async function store(request: Request, path: string, offset: number | undefined): Promise<string> {
  const target = offset === undefined ? `${path}.part` : path;
  const file = await open(target, constants.O_CREAT | constants.O_WRONLY);
  try {
    const hash = createHash("sha256");
    let position = offset ?? 0;
    for await (const chunk of request.body ?? []) {
      hash.update(chunk);
      await file.write(chunk, 0, chunk.length, position);
      position += chunk.length;
    }
    await file.datasync();
    if (offset === undefined) await rename(target, path);
    return hash.digest("hex");
  } finally {
    await file.close();
  }
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  idleTimeout: 255,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith("/share/")) return Response.json(share());
    const path = join(folder, pathname);
    if (request.method !== "PUT") return pathname === "/" ? new Response() : new Response(Bun.file(path));
    const offset = searchParams.get("offset");
    return Response.json({ sha256: await store(request, path, offset === null ? undefined : Number(offset)) });
  },
});
