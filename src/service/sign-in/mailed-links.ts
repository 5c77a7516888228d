import type { Ctx } from "../../context.ts";
import type { Mail } from "../../contract/mail.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";
import { findAccountLink } from "./account-links.ts";
import { findInvite } from "./invites.ts";

/** Returns whether the one-time link of a mail can still be used. True for a mail without one. */
export async function isMailedLinkOpen(ctx: Pick<Ctx, "db" | "now">, mail: Mail): Promise<boolean> {
  if (!("until" in mail)) return true;
  const token = mail.link.slice(mail.link.lastIndexOf("/") + 1);
  const link = mail.kind === "invite" ? await findInvite(ctx, hashToken(token)) : await findAccountLink(ctx, token, mail.kind);
  return link !== undefined;
}
