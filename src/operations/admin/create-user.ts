import { z } from "zod";
import type { Ctx, TxCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { AppError } from "../../errors.ts";
import { resolveProUntil } from "./pro-until.ts";
import { toUserView, type UserView } from "./user-view.ts";
import { checkUsername, checkUsernameFree } from "./username.ts";

export interface NewUser {
  readonly email: string;
  readonly name: string;
  readonly username?: string | undefined;
  readonly tier: "free" | "pro";
  /** See `resolveProUntil`. */
  readonly until?: string | undefined;
  readonly isAdmin: boolean;
}

const email = z.email().max(254);
const MAX_NAME = 100;

/** Makes an account. Throws VALIDATION_FAILED, or CONFLICT where the address or the username is taken. */
export async function createUser(ctx: Ctx, wanted: NewUser): Promise<UserView> {
  const nowMs = ctx.now();
  const user = {
    id: newUuid(ctx.random, nowMs),
    name: checkName(wanted.name),
    email: checkEmail(wanted.email),
    email_verified: 1,
    image: null,
    username: wanted.username === undefined ? null : checkUsername(wanted.username),
    role: wanted.isAdmin ? "admin" : "user",
    tier: wanted.tier,
    pro_until: resolveProUntil(wanted.until, { tier: wanted.tier, nowMs }),
    disabled_at: null,
    agent_group: null,
    created_at: nowMs,
    updated_at: nowMs,
  } as const;
  await ctx.tx(async (ctx) => {
    await checkFree(ctx, user);
    await ctx.db.insertInto("users").values(user).execute();
  });
  return toUserView(user, nowMs);
}

function checkEmail(text: string): string {
  const parsed = email.safeParse(text.trim().toLowerCase());
  if (parsed.success) return parsed.data;
  throw new AppError("VALIDATION_FAILED", `"${text}" is not an e-mail address.`);
}

function checkName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= MAX_NAME && !/\p{Cc}/u.test(name)) return name;
  throw new AppError("VALIDATION_FAILED", `A name has 1 to ${MAX_NAME} characters, on one line.`);
}

async function checkFree(ctx: TxCtx, { id, email, username }: Pick<UserRow, "id" | "email" | "username">): Promise<void> {
  if (await ctx.db.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst()) {
    throw new AppError(
      "CONFLICT",
      `There is an account with the address ${email} already. Choose another address, or go on with that account.`,
    );
  }
  if (username !== null) await checkUsernameFree(ctx, username, id);
}
