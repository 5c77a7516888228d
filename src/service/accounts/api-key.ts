import { createHash } from "node:crypto";
import type { Ctx } from "../../context.ts";
import type { ApiKeyRow } from "../../db/tables/accounts.ts";
import { newKeyPrefix, newSecret, newUuid, type Random } from "../../lib/secrets/ids.ts";
import { isEqualText } from "../../lib/secrets/secrets.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import type { Scope } from "./actor.ts";

/** `bc_` + 8 characters + `_` + 256 random bits (identifiers, "Secrets"). */
const API_KEY = /^bc_([0-9A-Za-z]{8})_([\w-]{43})$/;

export interface NewApiKey {
  /** The key, which is shown only once and never stored. */
  readonly key: string;
  readonly prefix: string;
  readonly salt: string;
  readonly hash: string;
}

/** Generates a key and the columns that the server stores for it. */
export function newApiKey(random: Random): NewApiKey {
  const prefix = newKeyPrefix(random);
  const secret = newSecret(random, "");
  const salt = newSecret(random, "");
  return { key: `${shownPrefix({ prefix })}_${secret}`, prefix, salt, hash: hashKey(salt, secret) };
}

interface KeyOptions {
  readonly ownerId: string;
  readonly label: string | null | undefined;
  readonly scope: Scope;
  /** Whether an agent got the key at its registration. */
  readonly isAgentKey?: boolean;
  /** Whether the key may administer the server. */
  readonly isAdminKey?: boolean;
}

/** Generates a key and its row. The key is shown only once. */
export function newKeyRow(
  ctx: Pick<Ctx, "now" | "random">,
  { ownerId, label, scope, isAgentKey = false, isAdminKey = false }: KeyOptions,
): { key: string; row: ApiKeyRow } {
  const { key, ...columns } = newApiKey(ctx.random);
  const nowMs = ctx.now();
  const row = {
    id: newUuid(ctx.random, nowMs),
    owner_id: ownerId,
    ...columns,
    label: toSingleLine(label ?? "") || null,
    scope,
    is_agent_key: isAgentKey ? 1 : 0,
    is_admin_key: isAdminKey ? 1 : 0,
    created_at: nowMs,
    last_used_at: null,
    revoked_at: null,
  };
  return { key, row };
}

/** Returns the start of a key, which identifies the key without revealing it. */
export const shownPrefix = ({ prefix }: Pick<ApiKeyRow, "prefix">): string => `bc_${prefix}`;

/** Splits a key into its parts; undefined if it is malformed. */
export function parseApiKey(key: string): { prefix: string; secret: string } | undefined {
  const [, prefix, secret] = API_KEY.exec(key) ?? [];
  return prefix && secret ? { prefix, secret } : undefined;
}

/** Returns whether a secret matches the stored hash. The comparison takes constant time. */
export const matchesApiKey = (secret: string, { salt, hash }: { salt: string; hash: string }): boolean =>
  isEqualText(hashKey(salt, secret), hash);

const hashKey = (salt: string, secret: string): string => createHash("sha256").update(salt).update(secret).digest("hex");
