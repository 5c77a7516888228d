import type { Ctx } from "../../context.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import type { ClientAddress } from "../../net/client-address.ts";
import { isInNetworks, isLocalAddress } from "../../net/networks.ts";
import { recordUnknownClientAddress } from "../../service/system/unknown-client-address.ts";

export type ProxyWarnings = (peer: string, headers: Headers, client: ClientAddress) => void;

/**
 * Creates the warnings about a proxy whose clients share one limit (accounts, "The client's address"): one about an ignored `X-Forwarded-For` or
 * `Forwarded` from this machine or network, which is probably a proxy that is not trusted yet, and one per day about an unreadable hop of a trusted
 * proxy.
 */
export function createProxyWarnings(ctx: Ctx): ProxyWarnings {
  let hasWarned = false;
  let nextHopAtMs = 0;
  return (peer, headers, { unreadable }) => {
    if (unreadable !== undefined && ctx.now() >= nextHopAtMs) {
      nextHopAtMs = ctx.now() + DAY_MS;
      recordUnknownClientAddress(ctx, { peer, hop: unreadable }).catch((error: unknown) => {
        ctx.log.error({ err: error }, "storing the hop that cannot be read failed");
      });
    }
    if (hasWarned || isInNetworks(peer, ctx.config.trustedProxies) || !isLocalAddress(peer)) return;
    const header = ["X-Forwarded-For", "Forwarded"].find((name) => headers.has(name));
    if (header === undefined) return;
    hasWarned = true;
    ctx.log.warn(
      `${header} of ${peer} is ignored. If it is your reverse proxy, set FILEHOST_TRUSTED_PROXIES to its address; until then all its clients share one rate limit`,
    );
  };
}
