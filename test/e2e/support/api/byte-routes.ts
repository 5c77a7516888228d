import { createHash } from "node:crypto";
import { operationDefinitions } from "../../../../src/service/contract.ts";
import { createFileRequest } from "../shares/requests.ts";
import { call, clientOf, signedUrl, upload } from "./api.ts";
import type { ByteRoute } from "./malformed-requests.ts";

/** Lists all routes that receive or send bytes, with and without a key. Creates their objects on a server without request rates. */
export async function listByteRoutes(server: { readonly url: string }, key: string): Promise<readonly ByteRoute[]> {
  const headers = { Authorization: `Bearer ${key}` };
  const client = clientOf(server, { key });
  const { id, shortId } = await upload(server, { bytes: "x".repeat(100_000), fields: { openShare: "true" } }, { key });
  const { requestUrl } = await createFileRequest(server, key);
  const { body } = await call<{ data: { uploadUrl: string } }>(server, "POST", "/api/files/upload-delegations", {
    key,
    json: { name: "b.txt" },
  });
  const { uploadId } = await client.call("initMultipart", { fileName: "c.bin", fileSize: 20_000_000 });
  const sha256 = createHash("sha256").digest("hex");
  const { urls } = await client.call("batchPartUrls", { uploadId, partDigests: { 1: sha256 } });
  const pathOf = (url = ""): string => url.replace(/^https?:\/\/[^/]+/, "");
  return [
    { method: "PUT", path: "/a.txt", kind: "bytes" },
    { method: "PUT", path: "/a/b.txt", kind: "bytes", headers },
    { method: "POST", path: "/", kind: "form" },
    { method: "POST", path: "/share-target", kind: "form" },
    { method: "POST", path: pathOf(requestUrl), kind: "form" },
    { method: "POST", path: "/api/files/upload", kind: "form" },
    { method: "POST", path: "/api/files/upload", kind: "form", headers },
    { method: "POST", path: "/api/files/batch", kind: "form" },
    { method: "POST", path: "/api/files/batch", kind: "form", headers },
    { method: "PUT", path: "/up/x/1", kind: "bytes" },
    { method: "PUT", path: pathOf(urls[1]), kind: "bytes" },
    { method: "PUT", path: pathOf(body.data.uploadUrl), kind: "bytes" },
    { method: "POST", path: "/api/files/multipart/init", kind: "json" },
    { method: "POST", path: "/api/files/multipart/complete", kind: "json" },
    { method: "POST", path: "/api/files/remote-upload", kind: "json", headers },
    { method: "POST", path: "/api/files/upload-delegations", kind: "json", headers },
    { method: "POST", path: "/mcp", kind: "json", headers },
    { method: "POST", path: "/mcp/guest", kind: "json" },
    { method: "POST", path: "/api/stripe/webhook", kind: "json" },
    { method: "POST", path: "/oauth2/token", kind: "json" },
    { method: "POST", path: "/oauth2/token", kind: "form" },
    { method: "POST", path: `/d/${shortId}/unlock`, kind: "form" },
    { method: "POST", path: `/d/${shortId}/archive`, kind: "form" },
    { method: "POST", path: "/admin/settings", kind: "form" },
    { method: "GET", path: pathOf(await signedUrl(server, id)), kind: "none" },
    { method: "GET", path: `/d/${shortId}/download`, kind: "none" },
    { method: "GET", path: `/d/${shortId}`, kind: "none" },
  ];
}

/** Lists the operations that read a body, with unknown values for the parameters of their paths. */
export function listBodyOperations(key: string): readonly ByteRoute[] {
  const headers = { Authorization: `Bearer ${key}` };
  return operationDefinitions.flatMap(([, { method, path }]) =>
    method === "GET" || method === "DELETE"
      ? []
      : [{ method, path: `/api${path.replace(/\{\w+\}/g, "x")}`, kind: "json" as const, headers }],
  );
}
