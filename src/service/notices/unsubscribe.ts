import type { Ctx } from "../../context.ts";
import { saveNoticeSettings } from "./notice-settings.ts";

const toText = (userId: string): string => JSON.stringify(["unsubscribe", userId]);

/** Returns the URL that ends an account's mails with notices and permits nothing else (notices, "Unsubscribing"). It does not expire. */
export const unsubscribeUrl = ({ keyring, urls }: Pick<Ctx, "keyring" | "urls">, userId: string): string =>
  `${urls.siteUrl}/unsubscribe/${userId}.${keyring.sign(toText(userId))}`;

/** Returns the account of an unsubscribe URL's token; undefined if the signature is wrong. */
export function readUnsubscribeToken({ keyring }: Pick<Ctx, "keyring">, token: string): string | undefined {
  const [userId = "", signature = ""] = token.split(".");
  return keyring.verify(toText(userId), signature) ? userId : undefined;
}

/** Ends the mails with notices of an account, which may have been deleted. The list of notices remains. */
export async function unsubscribe(ctx: Pick<Ctx, "transaction">, userId: string): Promise<void> {
  await ctx.transaction(async ({ db }) => {
    const user = await db.selectFrom("users").select("id").where("id", "=", userId).executeTakeFirst();
    if (user) await saveNoticeSettings(db, userId, { byMail: false });
  });
}
