import type { Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { requireUser, type UserActor } from "../accounts/actor.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import type { FoundShare } from "../shares/queries.ts";
import type { SendObstacle } from "./contract.ts";
import { listRecipientRows, toRecipient } from "./recipient-queries.ts";
import { findShareObstacle, getSenderShare, readSendableFiles } from "./send-rules.ts";

/** `GET /shares/{shortId}/recipients`: lists the recipients of a share of the account (recipients, "What the sender sees"). */
export const listRecipients: Operation<"listRecipients"> = async (ctx, { actor }, { shortId }) => {
  const user = requireUser(actor);
  const share = await getSenderShare(ctx.db, user.userId, shortId);
  const rows = await listRecipientRows(ctx.db, share.short_id);
  return { obstacle: await findObstacle(ctx, user, share), recipients: rows.map(toRecipient) };
};

async function findObstacle(ctx: Ctx, user: UserActor, share: FoundShare): Promise<SendObstacle> {
  if (!ctx.config.mail) return "no_mail";
  if (user.isAgent) return "agent";
  if (user.isUnverified) return "unverified";
  return findShareObstacle(ctx, share, await readSendableFiles(ctx.db, share.short_id));
}

/** `DELETE /shares/{shortId}/recipients/{recipientId}`: removes a recipient, whose private links end. */
export const removeRecipient: Operation<"removeRecipient"> = async (ctx, call, { shortId, recipientId }) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const share = await getSenderShare(ctx.db, userId, shortId);
    const removed = await ctx.db
      .deleteFrom("share_recipients")
      .where("id", "=", recipientId)
      .where("short_id", "=", share.short_id)
      .executeTakeFirst();
    if (removed.numDeletedRows === 0n) throw notFound("recipient", "List the recipients of the share to find their IDs.");
    await recordAudit(ctx, call, { action: "share.recipient_removed", subject: share.short_id, account: userId });
    return { id: recipientId };
  });
};
