import type { Db } from "../../db/database.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import { requireUser } from "../accounts/actor.ts";
import { type NoticeSettings, toNoticeSettings } from "../accounts/notice-choices.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";

const settingsQuery = preparedQuery((db, { userId }: { userId: string }) =>
  db.selectFrom("notice_settings").selectAll().where("user_id", "=", userId),
);

/** Returns the settings of an account, or the defaults. */
export async function readNoticeSettings(db: Db, userId: string): Promise<NoticeSettings> {
  return toNoticeSettings(await settingsQuery.first(db, { userId }));
}

/** Stores settings of an account. Absent settings do not change. */
export async function saveNoticeSettings(db: Db, userId: string, changes: Partial<NoticeSettings>): Promise<NoticeSettings> {
  const settings = { ...(await readNoticeSettings(db, userId)), ...changes };
  const { downloaded, arrived, expiring, byMail } = settings;
  const row = { downloaded: Number(downloaded), arrived: Number(arrived), expiring: Number(expiring), by_mail: Number(byMail) };
  await db
    .insertInto("notice_settings")
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(row))
    .execute();
  return settings;
}

/** `GET /notices/settings`. */
export const getNoticeSettings: Operation<"getNoticeSettings"> = async (ctx, { actor }) =>
  await readNoticeSettings(ctx.db, requireUser(actor).userId);

/** `PATCH /notices/settings`. */
export const updateNoticeSettings: Operation<"updateNoticeSettings"> = async (ctx, call, input) => {
  const { userId } = requireUser(call.actor);
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const changes = Object.fromEntries(given);
  return await commitResponse(ctx, call, async (ctx) => {
    await recordAudit(ctx, call, { action: "account.notices_changed", subject: userId, account: userId, details: changes });
    return await saveNoticeSettings(ctx.db, userId, changes);
  });
};
