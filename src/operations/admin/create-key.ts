import { newApiKey } from "../../auth/api-key.ts";
import type { Ctx } from "../../context.ts";
import type { Scope } from "../../domain/actor.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { AppError } from "../../errors.ts";
import { getUser } from "./get-user.ts";

export interface CreatedKey {
  readonly id: string;
  /** The key itself: told here and never again. */
  readonly key: string;
  readonly prefix: string;
  readonly scope: Scope;
  readonly label: string | null;
  readonly userId: string;
  readonly createdAt: string;
}

const MAX_LABEL = 120;

/** Makes an API key for an account. Throws NOT_FOUND, VALIDATION_FAILED, or CONFLICT for an account that is disabled. */
export async function createKey(
  ctx: Ctx,
  { user: named, scope, label }: { user: string; scope: Scope; label?: string | undefined },
): Promise<CreatedKey> {
  if (label !== undefined && label.length > MAX_LABEL)
    throw new AppError("VALIDATION_FAILED", `A label has at most ${MAX_LABEL} characters.`);
  const nowMs = ctx.now();
  const { key, prefix, salt, hash } = newApiKey(ctx.random);
  const row = {
    id: newUuid(ctx.random, nowMs),
    prefix,
    salt,
    hash,
    label: label ?? null,
    scope,
    created_at: nowMs,
    last_used_at: null,
    revoked_at: null,
  };
  const userId = await ctx.tx(async (ctx) => {
    const user = await getUser(ctx.db, named);
    if (user.disabled_at !== null)
      throw new AppError("CONFLICT", `The account of ${user.email} is disabled: a key of it would not work. Enable it first.`);
    await ctx.db
      .insertInto("api_keys")
      .values({ ...row, owner_id: user.id })
      .execute();
    return user.id;
  });
  return { id: row.id, key, prefix: `bc_${prefix}`, scope, label: row.label, userId, createdAt: new Date(nowMs).toISOString() };
}
