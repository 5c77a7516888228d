import { hashToken } from "../../auth/secrets.ts";
import { findShareByHandoff } from "../../db/shares.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { isOpen } from "../shares/is-open.ts";

/** `GET /files/handoff/{token}`: what a delivery link is for; no bytes. */
export const getHandoff: Operation<"getHandoff"> = async (ctx, _call, { token }) => {
  const share = await findShareByHandoff(ctx.db, hashToken(token));
  if (!share || !isOpen(ctx, share)) throw handoffNotFound();
  const data = { shortId: share.short_id, name: share.name, message: share.handoff_message };
  return { success: true, ...data, data };
};

const handoffNotFound = (): AppError =>
  new AppError("NOT_FOUND", "This delivery link is not valid any more. Ask its sender for the present one.");
