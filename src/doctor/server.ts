import type { LoadedConfig } from "../config/load.ts";
import { toPublicUrls } from "../public-urls.ts";
import { toCallable } from "./addresses.ts";
import { type Check, ok, warn } from "./check-result.ts";
import { explainError } from "./error-messages.ts";
import { checkMcpEndpoint } from "./mcp-endpoint.ts";

const RESPONSE_TIMEOUT_MS = 5_000;

/** Checks whether a server runs on this machine, and whether its public URL and its MCP URL reach a server. */
export const server: Check = {
  what: "server",
  timeoutMs: 15_000,
  async *run({ config }: LoadedConfig) {
    const { listen, siteUrl } = config;
    const localUrl = `http://${toCallable(listen.hostname)}:${listen.port}`;
    const local = listen.port === 0 ? "none" : await probe(localUrl);
    if (local === "alive") yield ok("server", `running at ${localUrl}`);
    else if (local === "none") yield ok("server", listen.port === 0 ? "listens on any free port" : `not running at ${localUrl}`);
    else
      yield warn(
        "server",
        "server",
        `the program at ${localUrl} is not filehost, or is unhealthy: ${local}`,
        "Stop that program, or choose another port with FILEHOST_LISTEN.",
      );
    if (siteUrl === undefined || local !== "alive") return;
    const site = await probe(siteUrl);
    if (site === "alive") {
      yield ok("public URL", `${siteUrl} leads to filehost`);
      yield await checkMcpEndpoint(toPublicUrls(config, listen.port).mcpUrl);
    } else
      yield warn(
        "public URL",
        "publicUrl",
        `${siteUrl} does not lead to filehost from here: ${site === "none" ? "nothing listens there" : site}`,
        "Check that its host name points to this machine, that the proxy runs and forwards requests, and that the firewall allows port 443.\n" +
          "If it works from other machines, your network blocks connections of this machine to itself: then ignore this warning.",
      );
  },
};

/** Requests a server's health: `alive`, `none` if nothing listens, or a description of the problem. */
async function probe(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS), redirect: "manual" });
    const text = await response.text();
    return response.status === 200 && text.includes('"status"') ? "alive" : `it responds with status ${response.status}`;
  } catch (error) {
    const reason = explainError(error);
    return reason.startsWith("nothing listens") ? "none" : reason;
  }
}
