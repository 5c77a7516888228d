import { AppError } from "../../errors.ts";
import { readSourceName } from "../../net/source-name.ts";
import { readError } from "../../service/client.ts";
import type { RemoteServer } from "../server/discover-server.ts";
import { isRedirect, limitBody, requestOnce } from "../server/send.ts";
import { toServerError } from "../server/server-error.ts";

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 60_000;

/** The server's description of the bytes at a signed URL. All fields are unchecked. */
export interface SignedDownload {
  readonly url: URL;
  readonly name: string;
  readonly sizeBytes: number;
  /** A strong entity tag. */
  readonly etag: string | undefined;
  /** Hexadecimal; undefined until the digest is known. */
  readonly sha256: string | undefined;
}

/** Requests the headers of a signed URL, which counts no download (downloads, "Signed URLs"). Throws the server's error, or UNAVAILABLE. */
export async function inspectDownload(
  server: Pick<RemoteServer, "reach">,
  signedUrl: string,
  signal: AbortSignal,
): Promise<SignedDownload> {
  const url = server.reach(signedUrl);
  const response = await requestBytes(url, { method: "HEAD", signal });
  await response.body?.cancel();
  const size = response.headers.get("content-length") ?? "";
  if (!/^\d{1,15}$/.test(size))
    throw new AppError("UNAVAILABLE", `The server at ${url.origin} does not say how large the file is. Ask its administrator.`);
  const etag = response.headers.get("etag") ?? "";
  return {
    url,
    name: readSourceName(response.headers.get("content-disposition") ?? undefined, [url]),
    sizeBytes: Number(size),
    etag: etag.startsWith('"') ? etag : undefined,
    sha256: readDigest(response.headers.get("repr-digest")),
  };
}

/**
 * Requests bytes, without any key. Follows redirects to a store, but not from HTTPS to HTTP. Resolves to a successful response; throws the server's
 * error, or UNAVAILABLE.
 */
export async function requestBytes(url: URL, init: RequestInit & { readonly signal: AbortSignal }): Promise<Response> {
  // Compressed bytes would have another size, so compression is refused.
  const headers = { ...(init.headers as Record<string, string>), "Accept-Encoding": "identity" };
  let target = url;
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    const response = await requestOnce(target, { ...init, headers });
    if (!isRedirect(response)) {
      if (response.ok) return response;
      throw toServerError(await readError(limitBody(response)));
    }
    await response.body?.cancel();
    const next = URL.parse(response.headers.get("location") ?? "", target);
    if (next === null || !(next.protocol === "https:" || (next.protocol === "http:" && target.protocol === "http:"))) break;
    target = next;
  }
  throw new AppError("UNAVAILABLE", `The server at ${url.origin} redirects in a way that is not followed. Ask its administrator.`);
}

function readDigest(header: string | null): string | undefined {
  const [, base64 = ""] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/i.exec(header ?? "") ?? [];
  return base64 === "" ? undefined : Buffer.from(base64, "base64").toString("hex");
}

/** Ends a request whose response sends no bytes for too long. Returns the signal of the request, and a function to call for each chunk. */
export function watchIdle(signal: AbortSignal): { readonly signal: AbortSignal; readonly touch: () => void; readonly end: () => void } {
  const idle = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const touch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => idle.abort(new Error("The connection is idle.")), TIMEOUT_MS);
  };
  touch();
  return { signal: AbortSignal.any([signal, idle.signal]), touch, end: () => clearTimeout(timer) };
}
