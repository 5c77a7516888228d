import { newApiKey } from "../../auth/api-key.ts";
import { updateLiveKey } from "../../db/keys.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { keyNotFound } from "./key-not-found.ts";
import { toKeyView } from "./key-view.ts";

/** `POST /keys/{id}/rotate`: a new secret for the same key, told this once; the old one stops working with the next request. */
export const rotateKey: Operation<"rotateKey"> = async (ctx, { actor, remember }, { id }) => {
  const { userId } = requireUser(actor);
  const { key, ...kept } = newApiKey(ctx.random);
  return await ctx.tx(async (ctx) => {
    const row = await updateLiveKey(ctx.db, { id, ownerId: userId }, { ...kept, last_used_at: null });
    if (!row) throw keyNotFound();
    const answer = { success: true, data: { ...toKeyView(row), key } } as const;
    await remember?.(ctx, answer);
    return answer;
  });
};
