import { newApiKey } from "../../auth/api-key.ts";
import { insertKey, listLiveKeys } from "../../db/keys.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { toLine } from "../../domain/filename.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { toKeyView } from "./key-view.ts";

const MAX_KEYS = 100;

/** `POST /keys`: another key of the same account, told this once. */
export const createKey: Operation<"createKey"> = async (ctx, { actor, remember }, { label, scope }) => {
  const { userId } = requireUser(actor);
  const { key, prefix, salt, hash } = newApiKey(ctx.random);
  const nowMs = ctx.now();
  const row = {
    id: newUuid(ctx.random, nowMs),
    owner_id: userId,
    prefix,
    salt,
    hash,
    label: toLine(label ?? "") || null,
    scope: scope ?? "full",
    bootstrap: 0,
    created_at: nowMs,
    last_used_at: null,
    revoked_at: null,
  };
  const answer = { success: true, data: { ...toKeyView(row), key } } as const;
  await ctx.tx(async (ctx) => {
    if ((await listLiveKeys(ctx.db, userId)).length >= MAX_KEYS) {
      throw new AppError("CONFLICT", `An account has at most ${MAX_KEYS} keys. Revoke one that is not used any more first.`);
    }
    await insertKey(ctx.db, row);
    await remember?.(ctx, answer);
  });
  return answer;
};
