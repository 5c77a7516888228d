import type { TxCtx } from "../../context.ts";
import { AppError } from "../../errors.ts";

const USERNAME = /^[a-z0-9_-]{3,30}$/;

/** A username in its one form. Throws VALIDATION_FAILED. */
export function checkUsername(text: string): string {
  if (USERNAME.test(text)) return text;
  throw new AppError("VALIDATION_FAILED", `"${text}" cannot be a username: use 3 to 30 of a-z, 0-9, - and _.`);
}

/** Throws CONFLICT where another account than `userId` has the username. */
export async function checkUsernameFree(ctx: TxCtx, username: string, userId: string): Promise<void> {
  const holder = await ctx.db.selectFrom("users").select("id").where("username", "=", username).executeTakeFirst();
  if (holder && holder.id !== userId) throw new AppError("CONFLICT", `The username ${username} is taken. Choose another.`);
}
