import type { UserView } from "../operations/admin/user-view.ts";
import { alignColumns, formatTime } from "./text.ts";

/** An account, a line for each thing to know. */
export function describeUser(user: UserView): string {
  return alignColumns([
    ["id", user.id],
    ["e-mail", user.email],
    ["name", user.name],
    ["username", user.username ?? "-"],
    ["role", user.role],
    ["tier", describeTier(user)],
    ["disabled", user.disabledAt === null ? "no" : `since ${formatTime(user.disabledAt)}`],
  ]);
}

/** `free`, `pro`, `pro until …`. */
export function describeTier({ tier, proUntil }: UserView): string {
  return tier === "pro" && proUntil !== null ? `pro until ${formatTime(proUntil)}` : tier;
}
