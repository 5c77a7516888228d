import { listLiveKeys } from "../../db/keys.ts";
import type { Operation } from "../operation.ts";
import { requireUser } from "../require-user.ts";
import { toKeyView } from "./key-view.ts";

/** `GET /keys`: the account's keys that work, oldest first. */
export const listKeys: Operation<"listKeys"> = async (ctx, { actor }) => {
  const keys = await listLiveKeys(ctx.db, requireUser(actor).userId);
  return { success: true, data: keys.map(toKeyView) };
};
