import type { Ctx, RequestContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { toIso } from "../../lib/iso-time.ts";
import { SESSION_MS } from "../accounts/sessions.ts";
import type { Output } from "../contract.ts";

/** Starts a session of the account with this address and password. Throws UNAUTHENTICATED. */
export async function startSession(
  ctx: Ctx,
  { userAgent }: Pick<RequestContext, "userAgent">,
  { email, password }: { email: string; password: string },
): Promise<Output<"signIn">> {
  const auth = await ctx.auth();
  try {
    const { token, user } = await auth.api.signInEmail({ body: { email, password }, headers: new Headers({ "user-agent": userAgent }) });
    return { sessionToken: token, expiresAt: toIso(ctx.now() + SESSION_MS), owner: { id: user.id, name: user.name, email: user.email } };
  } catch (error) {
    if (error instanceof Error && "statusCode" in error && error.statusCode === 401) throw wrongPassword();
    throw error;
  }
}

const wrongPassword = (): AppError =>
  new AppError(
    "UNAUTHENTICATED",
    "This address and password do not match an account. Check both, or ask the administrator for a new password.",
  );
