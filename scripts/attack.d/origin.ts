import { createServer } from "node:http";
import { setInterval } from "node:timers";

/** A server on loopback that is a source of imports and a receiver of webhooks. */
export interface Origin extends AsyncDisposable {
  /** The URL of a file of 1 MB, sent at full speed. */
  readonly fileUrl: string;
  /** The URL of a file of 10 MB, sent at one byte every five seconds. */
  readonly drippingUrl: string;
  readonly webhookUrl: string;
  webhooks(): number;
}

const FILE = Buffer.alloc(1024 * 1024, "a line of the file that is imported\n");
const DRIP_EVERY_MS = 5_000;

export async function startOrigin(): Promise<Origin> {
  let webhooks = 0;
  const server = createServer((request, response) => {
    if (request.url === "/webhook") {
      webhooks++;
      request.resume().once("end", () => response.writeHead(204).end());
      return;
    }
    const isDripping = request.url === "/dripping.bin";
    response.writeHead(200, { "content-type": "application/octet-stream", "content-length": String(FILE.length * (isDripping ? 10 : 1)) });
    if (!isDripping) return void response.end(FILE);
    response.write("a");
    const timer = setInterval(() => response.write("a"), DRIP_EVERY_MS);
    response.once("close", () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The origin has no port.");
  const url = `http://127.0.0.1:${address.port}`;
  return {
    fileUrl: `${url}/file.txt`,
    drippingUrl: `${url}/dripping.bin`,
    webhookUrl: `${url}/webhook`,
    webhooks: () => webhooks,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
