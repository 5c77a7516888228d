import type { RemoteServer } from "../server/discover-server.ts";
import type { UnlockAccess } from "./unlock.ts";

/**
 * Names something at a server, the same at all addresses of the server. What a server says of its address is only believed at that address, or if the
 * user has named the server: otherwise the server of a link could take what was begun at another one.
 */
export function nameAt({ apiUrl, configuredApiUrl }: RemoteServer, { namedBy }: Pick<UnlockAccess, "namedBy">, what: string): string {
  return `${namedBy === "user" ? configuredApiUrl : apiUrl}#${what}`;
}
