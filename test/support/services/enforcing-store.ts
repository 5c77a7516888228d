import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";

export interface EnforcingStore extends AsyncDisposable {
  readonly url: string;
}

/**
 * Starts a substitute for stores, such as Amazon S3, that compare parts with the SHA-256 in their URL and refuse parts after completion. Debian has
 * no such store, so a real one (`target`) behind the substitute stores the bytes and checks the signatures.
 */
export async function startEnforcingStore(target: string): Promise<EnforcingStore> {
  const completed = new Set<string>();
  const server: Server = createServer((incoming, outgoing) => {
    const query = new URL(incoming.url ?? "", target).searchParams;
    const uploadId = query.get("uploadId") ?? "";
    const refuse = (status: number, code: string): void => {
      outgoing
        .writeHead(status, { "Content-Type": "application/xml" })
        .end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    };
    collect(incoming)
      .then((body) => {
        if (uploadId !== "" && completed.has(uploadId)) return refuse(404, "NoSuchUpload");
        const declared = query.get("x-amz-checksum-sha256");
        if (declared !== null && createHash("sha256").update(body).digest("base64") !== declared) return refuse(400, "BadDigest");
        const forwarded = request(target + incoming.url, { method: incoming.method ?? "GET", headers: incoming.headers, agent: false });
        forwarded.on("error", () => outgoing.destroy());
        forwarded.on("response", (response) => {
          if (incoming.method === "POST" && uploadId !== "" && response.statusCode === 200) completed.add(uploadId);
          const { "transfer-encoding": _, connection: __, ...headers } = response.headers;
          outgoing.writeHead(response.statusCode ?? 500, headers);
          if (incoming.method === "HEAD") outgoing.end();
          else response.pipe(outgoing);
        });
        forwarded.end(body);
      })
      .catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function collect(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
