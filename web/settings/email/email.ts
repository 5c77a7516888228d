import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { requireUser } from "../../../src/service/accounts/actor.ts";
import { requireProof } from "../../../src/service/accounts/proof-of-identity.ts";
import { operations } from "../../../src/service/operations.ts";
import { parseInput } from "../../../src/service/parse-input.ts";
import { findAccountLink } from "../../../src/service/sign-in/account-links.ts";
import { emailContract } from "../../../src/service/sign-in/email-contract.ts";
import { renderLinkResult } from "../../account/link-result-page.tsx";
import { waitText } from "../../account/sign-in/sign-in.ts";
import { withPerson } from "../../account/with-person.ts";
import { EMAIL_PATH, PROFILE_PATH } from "../paths.ts";
import { EMAIL_PANEL, renderEmailLink, renderEmailPage } from "./email-page.tsx";

/** Handles `GET /settings/email`. Asks for a proof of identity before the address, not after it. */
export const showEmailPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    requireProof(c.env.ctx, call);
    return await respondEmail(c, call);
  });

/** Handles `POST /settings/email`: mails the link to the new address. */
export const postEmail = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const entered = (await readPageForm(c, call)).get("newEmail")?.trim() ?? "";
    const refuse = (refusal: AppError) => respondEmail(c, call, { entered, refusal });
    return await respondToRefusals(
      async () => {
        await operations.changeEmail(c.env.ctx, call, parseInput(emailContract.changeEmail.input, { newEmail: entered }));
        // The response redirects, because reloading a response of the form would request another link, which ends this one.
        return redirect(c, 303, `${PROFILE_PATH}#${EMAIL_PANEL}`);
      },
      { VALIDATION_FAILED: refuse, CONFLICT: refuse, RATE_LIMITED: refuse },
    );
  });

async function respondEmail(
  c: HttpContext,
  call: RequestContext,
  refused?: { readonly entered: string; readonly refusal: AppError },
): Promise<Response> {
  const page = pageContext(c);
  const { email } = await operations.getEmail(c.env.ctx, call, {});
  const toText = (entered: string, refusal: AppError): string => {
    const { account, address } = page.texts;
    if (refusal.code !== "CONFLICT") return waitText(c, refusal) ?? account.problems.email;
    return entered.toLowerCase() === email ? address.problems.same : address.problems.taken;
  };
  const html = renderEmailPage(page, {
    email,
    isMailed: c.env.ctx.config.mail !== undefined,
    problem: refused && { entered: refused.entered, text: toText(refused.entered, refused.refusal) },
  });
  return await respondPage(c, { html, refusal: refused?.refusal });
}

const tokenOf = (c: HttpContext): string => c.req.param("token") ?? "";

/** Handles `GET /settings/email/:token`. It changes nothing, because programs open links of mails automatically. */
export const showEmailLinkPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async ({ actor }) => {
    const link = await findAccountLink(c.env.ctx, tokenOf(c), "email");
    if (link?.user_id !== requireUser(actor).userId) return await respondEmailRefused(c, "ended");
    const path = `${EMAIL_PATH}/${encodeURIComponent(tokenOf(c))}`;
    return await respondPage(c, { html: renderEmailLink(pageContext(c), { path, email: link.mailed_to ?? "" }), hasSecrets: true });
  });

/** Handles `POST /settings/email/:token`: changes the address. */
export const postEmailLink = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    return await respondToRefusals(
      async () => {
        const { email } = await operations.confirmEmail(c.env.ctx, call, { token: tokenOf(c) });
        // The banner of this page must not ask for the verification any longer.
        if (c.env.person) c.env.person = { ...c.env.person, unverifiedEmail: undefined };
        const { address: texts } = pageContext(c).texts;
        const next = { path: PROFILE_PATH, text: texts.toSettings };
        const html = renderLinkResult(pageContext(c), { isDone: true, title: texts.confirmed, text: texts.saved(email), next });
        return await respondPage(c, { html });
      },
      { FORBIDDEN: () => respondEmailRefused(c, "ended"), CONFLICT: () => respondEmailRefused(c, "taken") },
    );
  });

/** Responds with the reason why the link changes nothing. */
async function respondEmailRefused(c: HttpContext, reason: "ended" | "taken"): Promise<Response> {
  const { address: texts, accountLinks } = pageContext(c).texts;
  const html = renderLinkResult(pageContext(c), {
    isDone: false,
    title: accountLinks.linkEnded,
    text: reason === "taken" ? texts.problems.taken : texts.ended,
    next: { path: PROFILE_PATH, text: texts.toSettings },
  });
  return await respondPage(c, { html, status: reason === "taken" ? 409 : 403 });
}
