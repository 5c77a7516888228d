import { isIP } from "node:net";
import type { Ctx } from "../../../context.ts";
import { AppError } from "../../../errors.ts";

/** The site as passkeys know it. */
export interface RelyingParty {
  /** The site's host name, to which its passkeys belong. */
  readonly id: string;
  /** The only origin whose pages may use them. */
  readonly origin: string;
}

/** The configured site; undefined if passkeys cannot belong to it: an address has no host name. */
export function findRelyingParty({ urls }: Pick<Ctx, "urls">): RelyingParty | undefined {
  const { hostname, origin } = new URL(urls.siteUrl);
  return isIP(hostname.replace(/^\[|\]$/g, "")) === 0 ? { id: hostname, origin } : undefined;
}

/** The relying party of this site. Throws CONFLICT if the site can have none. */
export function getRelyingParty(ctx: Pick<Ctx, "urls">): RelyingParty {
  const site = findRelyingParty(ctx);
  if (site) return site;
  throw new AppError("CONFLICT", "Passkeys need a site with a host name. Ask the administrator to set one as FILEHOST_URL.");
}
