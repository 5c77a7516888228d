import type { UserRow } from "../../db/tables/accounts.ts";
import { effectiveTier } from "../../domain/tiers.ts";

/** An account as an administrator sees it. */
export interface UserView {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly username: string | null;
  readonly role: UserRow["role"];
  /** The tier in force now. */
  readonly tier: UserRow["tier"];
  readonly proUntil: string | null;
  readonly disabledAt: string | null;
  readonly createdAt: string;
}

export function toUserView(user: UserRow, nowMs: number): UserView {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    username: user.username,
    role: user.role,
    tier: effectiveTier(user, nowMs),
    proUntil: user.tier === "pro" ? toIso(user.pro_until) : null,
    disabledAt: toIso(user.disabled_at),
    createdAt: new Date(user.created_at).toISOString(),
  };
}

/** Milliseconds since 1970 → ISO 8601; null stays. */
export const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
