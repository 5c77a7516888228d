import { formatSize } from "../../lib/text/format-size.ts";
import type { Output } from "../../service/contract.ts";
import { alignColumns, formatTime } from "../terminal/text.ts";

/** Describes the account for which a command acts, its rights and its usage. */
export const describeSignIn = (server: string, { owner, tier, proUntil, scope, storage }: Output<"getMe">) => ({
  server,
  account: {
    id: owner.id,
    name: owner.name,
    email: owner.email,
    emailVerified: owner.emailVerified,
    username: owner.username,
    role: owner.role,
  },
  tier,
  proUntil,
  scope,
  storage: { usedBytes: storage.usedBytes, allowedBytes: storage.allowedBytes, leftBytes: storage.leftBytes },
});

/** Formats the rows of `whoami`. */
export function formatSignIn(described: ReturnType<typeof describeSignIn>, signIn: string): string {
  const { server, account, tier, proUntil, scope, storage } = described;
  const address = account.email === null ? "" : ` <${account.email}>${account.emailVerified ? "" : " (not verified)"}`;
  return alignColumns([
    ["Server", server],
    ["Account", `${account.name}${address}`],
    ["ID", account.id],
    ["Tier", proUntil === null ? tier : `${tier}, until ${formatTime(proUntil)}`],
    ["Scope", scope],
    ["Storage", `${formatSize(storage.usedBytes)} of ${formatSize(storage.allowedBytes)}`],
    ["Signed in", signIn],
  ]);
}
