import type { LoadedConfig } from "../config/load.ts";
import { findContentHost } from "../net/content-host.ts";
import { toPublicUrls } from "../public-urls.ts";
import { type Check, type CheckResult, ok, warn } from "./check-result.ts";
import { explainError } from "./error-messages.ts";

const WHAT = "FILEHOST_CONTENT_URL";
const RESPONSE_TIMEOUT_MS = 5_000;
const SET_UP = 'Point a second host name to the server (docs/deploy.md, "A host for files"), and set FILEHOST_CONTENT_URL to it.';

/** Checks whether the bytes of files come from a separate host, which has no cookies and no pages. */
export const contentHost: Check = {
  what: WHAT,
  timeoutMs: 10_000,
  async *run({ config }: LoadedConfig) {
    if (config.siteUrl === undefined) return;
    const urls = toPublicUrls(config, config.listen.port);
    if (config.contentUrl === undefined)
      yield warn(
        WHAT,
        "contentHost",
        "is not set: files come from the host of the pages, where only headers keep them from sessions",
        SET_UP,
      );
    else if (findContentHost(urls) === undefined)
      yield warn(
        WHAT,
        "contentHost",
        `${urls.contentUrl} has the host name of the site or the API: browsers send it their cookies`,
        SET_UP,
      );
    else yield await checkResponse(urls.contentUrl);
  },
};

/** Checks the server's response to a page's URL on the content host. */
async function checkResponse(contentUrl: string): Promise<CheckResult> {
  try {
    const response = await fetch(`${contentUrl}/signin`, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS), redirect: "manual" });
    const text = await response.text();
    if (response.status === 404 && text.includes('"NOT_FOUND"')) return ok(WHAT, `${contentUrl} serves the bytes of files alone`);
    return warn(
      WHAT,
      "contentHostUnreachable",
      `${contentUrl} responds to the URL of a page with status ${response.status}: the server does not see the request's host name`,
      "Configure the proxy to send that host to filehost and to pass the header Host on, with nginx: proxy_set_header Host $host;",
    );
  } catch (error) {
    return warn(WHAT, "contentHostUnreachable", `${contentUrl} does not lead to filehost from here: ${explainError(error)}`, SET_UP);
  }
}
