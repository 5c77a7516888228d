import type { RemoteServer } from "../server/discover-server.ts";
import type { UnlockAccess } from "./unlock.ts";

/**
 * Names a resource at a server, with the same name for all addresses of the server. The address that a server announces is used only if it matches,
 * or if the user has named the server. Otherwise the server of a link could take over a download from another server.
 */
export function nameAt({ apiUrl, configuredApiUrl }: RemoteServer, { namedBy }: Pick<UnlockAccess, "namedBy">, what: string): string {
  return `${namedBy === "user" ? configuredApiUrl : apiUrl}#${what}`;
}
