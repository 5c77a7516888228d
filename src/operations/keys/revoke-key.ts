import { updateLiveKey } from "../../db/keys.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { keyNotFound } from "./key-not-found.ts";

/** `DELETE /keys/{id}`: the key stops working with the next request; it may be the one that asks. */
export const revokeKey: Operation<"revokeKey"> = async (ctx, { actor }, { id }) => {
  const key = await updateLiveKey(ctx.db, { id, ownerId: requireUser(actor).userId }, { revoked_at: ctx.now() });
  if (!key) throw keyNotFound();
  return { success: true, data: { id } };
};
