import { type Handler, type Origin, startOrigin } from "../../../support/services/origin-server.ts";

/** The responses of a server that imitates a filehost; other paths are 404. */
export interface Hostility {
  /** Responds to each request of the API except the one for the signed URL. */
  readonly api?: Handler;
  /** The signed URL; default: `/dl/file` of this server. */
  readonly url?: string;
  /** Responds at the signed URL of this server. */
  readonly bytes?: Handler;
}

/** Starts a server that a client accepts as a filehost. */
export async function startHostileServer({ api, url, bytes }: Hostility): Promise<Origin> {
  const json =
    (body: () => object): Handler =>
    (_, response) =>
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(body()));
  const server: Origin = await startOrigin({
    "/api/agent/capabilities": json(() => ({ service: "filehost", siteUrl: server.url })),
    "/api/files/download/file": json(() => ({ success: true, url: url ?? `${server.url}/dl/file` })),
    ...(api && { "/api/files/list": api }),
    ...(bytes && { "/dl/file": bytes }),
  });
  return server;
}
