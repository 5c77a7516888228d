import type { Ctx } from "../../context.ts";
import { addressUses, consumeAll, rateLimited } from "../accounts/rate-limits.ts";

/**
 * Counts a requested mail by the caller's IP address and by the email addresses, whether accounts have them or not (accounts, "Attempts"). Throws
 * RATE_LIMITED.
 */
export async function countMailRequest(
  ctx: Ctx,
  { address, mailedTo }: { readonly address: string; readonly mailedTo: readonly string[] },
): Promise<void> {
  const nowMs = ctx.now();
  const uses = [
    ...addressUses(ctx, { name: "mailRequests", address, subnet48Factor: 4 }),
    ...mailedTo.map((email) => ({
      name: "mailsPerAccount" as const,
      subject: ctx.keyring.pseudonym(email.toLowerCase()),
      rate: ctx.config.rates.mailsPerAccount,
      nowMs,
    })),
  ];
  const exceeded = await ctx.transaction(async (ctx) => await consumeAll(ctx.db, uses));
  if (!exceeded) return;
  throw rateLimited({
    nowMs,
    resetsAtMs: exceeded.resetsAtMs,
    message: ({ retryAfterSeconds }) => `Too many mails were asked for. Try again in ${retryAfterSeconds} seconds.`,
    fields: (wait) => ({ ...wait }),
  });
}
