import type { Ctx } from "../context.ts";
import { isInNetworks, isLocalAddress } from "../domain/address.ts";

/**
 * Tells the operator, once, of a forwarded header that is ignored though it comes from this machine or network: most likely their
 * own proxy, which is not trusted yet (decisions, "Accounts, keys, tiers").
 */
export function createForwardedWarning(ctx: Pick<Ctx, "config" | "log">): (peer: string, headers: Headers) => void {
  let warned = false;
  return (peer, headers) => {
    if (warned || !headers.has("x-forwarded-for") || isInNetworks(peer, ctx.config.trustedProxies) || !isLocalAddress(peer)) return;
    warned = true;
    ctx.log.warn(
      `X-Forwarded-For of ${peer} is ignored. If that is your reverse proxy, set FILEHOST_TRUSTED_PROXIES to its address; until then all its clients count as one`,
    );
  };
}
