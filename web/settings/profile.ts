import type { RequestContext } from "../../src/context.ts";
import { AppError } from "../../src/errors.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import type { Input } from "../../src/service/contract.ts";
import { operations } from "../../src/service/operations.ts";
import { waitText } from "../account/sign-in.ts";
import { withPerson } from "../account/signed-in.ts";
import { formatDate } from "../site/format.ts";
import { type ProfilePageProps, renderProfilePage } from "./profile-page.tsx";

/** `GET /settings`. */
export const showProfilePage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondProfile(c, call, {}));

/** `POST /settings`, by that page's forms. */
export const sendProfile = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const { texts } = pageContext(c);
    switch (form.get("action")) {
      case "remove-username":
        await operations.updateMe(c.env.ctx, call, { username: null });
        return await respondProfile(c, call, { done: texts.profile.removed });
      case "cancel-email":
        await cancelEmailChange(c, call);
        return await respondProfile(c, call, { done: texts.address.cancelled });
      case "prove-email":
        return await proveEmail(c, call);
      case "username":
        return await change(c, call, "username", form.get("username") ?? "");
      default:
        return await change(c, call, "name", form.get("name") ?? "");
    }
  });

async function change(c: HttpContext, call: RequestContext, field: "name" | "username", entered: string): Promise<Response> {
  const { texts } = pageContext(c);
  try {
    const { name, username } = await operations.updateMe(c.env.ctx, call, { [field]: entered } satisfies Input<"updateMe">);
    const { person } = c.env;
    // The header of this page shows it already.
    if (person) c.env.person = { ...person, name };
    return await respondProfile(c, call, { done: field === "name" ? texts.profile.saved : texts.profile.claimed(username ?? "") });
  } catch (error) {
    const text = error instanceof AppError ? problemText(c, field, error) : undefined;
    if (!(error instanceof AppError) || text === undefined) throw error;
    return await respondProfile(c, call, { problem: { field, text, entered } }, error);
  }
}

function problemText(c: HttpContext, field: "name" | "username", error: AppError): string | undefined {
  const { texts, language } = pageContext(c);
  const { retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined)
    return texts.profile.problems.tooMany(formatDate(c.env.ctx.now() + retryAfterSeconds * 1000, language));
  if (error.code === "CONFLICT") return texts.profile.problems.taken;
  if (error.code !== "VALIDATION_FAILED") return undefined;
  return field === "name" ? texts.account.problems.name : texts.profile.problems.invalid;
}

async function cancelEmailChange(c: HttpContext, call: RequestContext): Promise<void> {
  try {
    await operations.cancelEmailChange(c.env.ctx, call, {});
  } catch (error) {
    // It has ended meanwhile, which is what was asked for.
    if (!(error instanceof AppError && error.code === "CONFLICT")) throw error;
  }
}

/** Mails the link that proves the address, unless it was proved meanwhile. */
async function proveEmail(c: HttpContext, call: RequestContext): Promise<Response> {
  try {
    const { email } = await operations.resendVerification(c.env.ctx, call, {});
    return await respondProfile(c, call, { done: pageContext(c).texts.accountLinks.sentTo(email) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "CONFLICT") return await respondProfile(c, call, {});
    const text = waitText(c, error);
    if (text === undefined) throw error;
    return await respondProfile(c, call, { problem: { field: "email", text, entered: "" } }, error);
  }
}

type Outcome = Pick<ProfilePageProps, "done" | "problem">;

async function respondProfile(c: HttpContext, call: RequestContext, outcome: Outcome, error?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const { owner } = await operations.getMe(ctx, call, {});
  const { email, isProved, pending } = await operations.getEmail(ctx, call, {});
  const html = renderProfilePage(pageContext(c), {
    name: owner.name,
    email: { email, pending, canProve: ctx.config.mail !== undefined && owner.emailVerified && !isProved },
    username: owner.username,
    maxUsernameChanges: ctx.config.rates.usernameChanges.limit,
    ...outcome,
  });
  return await respondPage(c, { html, status: error?.status, headers: error && errorHeaders(error) });
}
