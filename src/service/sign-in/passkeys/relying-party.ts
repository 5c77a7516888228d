import { isIP } from "node:net";
import type { Ctx } from "../../../context.ts";
import { AppError } from "../../../errors.ts";

/** The site as the relying party of passkeys. */
export interface RelyingParty {
  /** The site's host name, to which its passkeys belong. */
  readonly id: string;
  /** The only origin whose pages may use the passkeys. */
  readonly origin: string;
}

/** Returns the configured site; undefined if its URL has an IP address in place of a host name, because passkeys cannot belong to it. */
export function findRelyingParty({ urls }: Pick<Ctx, "urls">): RelyingParty | undefined {
  const { hostname, origin } = new URL(urls.siteUrl);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? { id: hostname, origin } : undefined;
}

/** Returns the relying party of this site. Throws CONFLICT if passkeys cannot belong to it. */
export function getRelyingParty(ctx: Pick<Ctx, "urls">): RelyingParty {
  const site = findRelyingParty(ctx);
  if (site) return site;
  throw new AppError("CONFLICT", "Passkeys need a site with a host name. Ask the administrator to set one as FILEHOST_URL.");
}
