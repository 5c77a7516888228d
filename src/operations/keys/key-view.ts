import type { Output } from "../../contract/index.ts";
import type { ApiKeyRow } from "../../db/tables/accounts.ts";

/** A key as its owner sees it. */
export function toKeyView(key: ApiKeyRow): Output<"listKeys">["data"][number] {
  return {
    id: key.id,
    prefix: `bc_${key.prefix}`,
    label: key.label,
    scope: key.scope,
    createdAt: new Date(key.created_at).toISOString(),
    lastUsedAt: key.last_used_at === null ? null : new Date(key.last_used_at).toISOString(),
  };
}
