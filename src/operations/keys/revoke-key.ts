import { updateLiveKey } from "../../db/keys.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { keyNotFound } from "./key-not-found.ts";

/** `DELETE /keys/{id}`: the key stops working with the next request; it may be the one that asks. */
export const revokeKey: Operation<"revokeKey"> = async (ctx, { actor, remember }, { id }) => {
  const { userId } = requireUser(actor);
  const answer = { success: true, data: { id } } as const;
  await ctx.tx(async (ctx) => {
    const key = await updateLiveKey(ctx.db, { id, ownerId: userId }, { revoked_at: ctx.now() });
    if (!key) throw keyNotFound();
    await remember?.(ctx, answer);
  });
  return answer;
};
