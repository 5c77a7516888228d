import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { waitText } from "../../account/sign-in/sign-in.ts";
import { withPerson } from "../../account/with-person.ts";
import { formatDate } from "../../site/format.ts";
import { type ProfilePageProps, renderProfilePage } from "./profile-page.tsx";

export const showProfilePage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondProfile(c, call, {}));

/** Handles `POST /settings`: saves one part of the profile. */
export const postProfile = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const { texts } = pageContext(c);
    switch (readAction(form, ["name", "username", "remove-username", "prove-email", "cancel-email"])) {
      case "remove-username":
        await operations.updateMe(c.env.ctx, call, { username: null });
        return await respondProfile(c, call, { done: texts.profile.removed });
      case "cancel-email":
        // A change that has ended meanwhile counts as cancelled.
        await respondToRefusals(() => operations.cancelEmailChange(c.env.ctx, call, {}), { CONFLICT: () => undefined });
        return await respondProfile(c, call, { done: texts.address.cancelled });
      case "prove-email":
        return await proveEmail(c, call);
      case "username":
        return await change(c, call, "username", { username: form.get("username") ?? "" });
      case "name":
        return await change(c, call, "name", { name: form.get("name") ?? "", showName: form.has("showName") });
    }
  });

type Entered = { readonly name: string; readonly showName: boolean } | { readonly username: string };

async function change(c: HttpContext, call: RequestContext, field: "name" | "username", entered: Entered): Promise<Response> {
  const page = pageContext(c);
  const { texts } = page;
  const refuse = (text: string, refusal: AppError) =>
    respondProfile(c, call, { problem: { field, text, entered: "name" in entered ? entered.name : entered.username } }, refusal);
  return await respondToRefusals(
    async () => {
      const { username } = await operations.updateMe(c.env.ctx, call, entered);
      return await respondProfile(c, call, { done: field === "name" ? texts.profile.saved : texts.profile.claimed(username ?? "") });
    },
    {
      CONFLICT: (refusal) => refuse(texts.profile.problems.taken, refusal),
      VALIDATION_FAILED: (refusal) => refuse(field === "name" ? texts.account.problems.name : texts.profile.problems.invalid, refusal),
      RATE_LIMITED: (refusal) => {
        const againMs = c.env.ctx.now() + (refusal.retryAfterSeconds ?? 0) * 1000;
        return refuse(texts.profile.problems.tooMany(formatDate(againMs, page)), refusal);
      },
    },
  );
}

/** Mails the link that proves the address, unless the address was proved meanwhile. */
const proveEmail = (c: HttpContext, call: RequestContext): Promise<Response> =>
  respondToRefusals(
    async () => {
      const { email } = await operations.resendVerification(c.env.ctx, call, {});
      return await respondProfile(c, call, { done: pageContext(c).texts.accountLinks.sentTo(email) });
    },
    {
      CONFLICT: () => respondProfile(c, call, {}),
      RATE_LIMITED: (refusal) => {
        const text = waitText(c, refusal) ?? refusal.message;
        return respondProfile(c, call, { problem: { field: "email", text, entered: "" } }, refusal);
      },
    },
  );

type Outcome = Pick<ProfilePageProps, "done" | "problem">;

async function respondProfile(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const { owner } = await operations.getMe(ctx, call, {});
  const { person } = c.env;
  // The header of this page already has the changed name and username.
  if (person) c.env.person = { ...person, name: owner.name, username: owner.username };
  const { email, isProved, pending } = await operations.getEmail(ctx, call, {});
  const html = renderProfilePage(pageContext(c), {
    name: owner.name,
    showName: owner.showName,
    email: { email, pending, canProve: ctx.config.mail !== undefined && owner.emailVerified && !isProved },
    username: owner.username,
    maxUsernameChanges: ctx.config.rates.usernameChanges.limit,
    ...outcome,
  });
  return await respondPage(c, { html, refusal });
}
