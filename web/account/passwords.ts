import { PASSWORD } from "../../src/contract/scalars.ts";
import { AppError } from "../../src/errors.ts";
import { identifyCaller } from "../../src/http/callers/caller.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondErrorPage, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { operations } from "../../src/service/operations.ts";
import { signInContract } from "../../src/service/sign-in/contract.ts";
import { findResetLink } from "../../src/service/sign-in/take-over.ts";
import { renderLinkResult } from "./link-result-page.tsx";
import { renderForgottenPage, renderLinkSentPage, renderNewPasswordPage } from "./password-pages.tsx";
import { FORGOT_PATH, SIGN_IN_PATH } from "./paths.ts";
import { waitText } from "./sign-in.ts";

/** `GET /forgot`. */
export const showForgottenPage = (c: HttpContext): Promise<Response> => respondForgotten(c, {});

/** `POST /forgot`, by that page's form. */
export async function sendForgotten(c: HttpContext): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page");
    const email = (await readPageForm(c, call)).get("email")?.trim() ?? "";
    const input = signInContract.requestPasswordReset.input.safeParse({ email });
    if (!input.success) return await respondForgotten(c, { email, error: new AppError("VALIDATION_FAILED", "") });
    try {
      await operations.requestPasswordReset(c.env.ctx, call, input.data);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== "RATE_LIMITED" && error.code !== "CONFLICT")) throw error;
      return await respondForgotten(c, { email, error });
    }
    return await respondPage(c, { html: renderLinkSentPage(pageContext(c), { email }) });
  } catch (error) {
    return await respondErrorPage(c, error);
  }
}

async function respondForgotten(c: HttpContext, { email, error }: { email?: string; error?: AppError }): Promise<Response> {
  const page = pageContext(c);
  const problem = error && (waitText(c, error) ?? page.texts.account.problems.email);
  const html = renderForgottenPage(page, { email, problem, hasMail: c.env.ctx.config.mail !== undefined });
  return await respondPage(c, { html, status: error?.status, headers: error && errorHeaders(error) });
}

/** `GET /reset/:token`. */
export const showNewPasswordPage = (c: HttpContext): Promise<Response> => respondNewPassword(c, {});

/** `POST /reset/:token`, by that page's form. */
export async function sendNewPassword(c: HttpContext): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page");
    const form = await readPageForm(c, call);
    const { texts } = pageContext(c);
    const input = signInContract.resetPassword.input.safeParse({
      token: c.req.param("token"),
      newPassword: form.get("newPassword") ?? "",
    });
    if (!input.success)
      return await respondNewPassword(c, { problem: texts.account.problems.password(PASSWORD.minLength, PASSWORD.maxLength) });
    await operations.resetPassword(c.env.ctx, call, input.data);
    c.env.person = undefined;
    const { passwordSaved: title, passwordSavedText: text } = texts.accountLinks;
    const next = { path: SIGN_IN_PATH, text: texts.account.signIn };
    return await respondPage(c, { html: renderLinkResult(pageContext(c), { isDone: true, title, text, next }) });
  } catch (error) {
    return error instanceof AppError && error.code === "FORBIDDEN" ? await respondEnded(c) : await respondErrorPage(c, error);
  }
}

async function respondNewPassword(c: HttpContext, { problem }: { problem?: string }): Promise<Response> {
  const token = c.req.param("token") ?? "";
  const link = await findResetLink(c.env.ctx, token);
  if (!link) return await respondEnded(c);
  const html = renderNewPasswordPage(pageContext(c), { path: `/reset/${encodeURIComponent(token)}`, problem, ...link });
  return await respondPage(c, { html, status: problem === undefined ? 200 : 400, hasSecrets: true });
}

async function respondEnded(c: HttpContext): Promise<Response> {
  const texts = pageContext(c).texts.accountLinks;
  const next = { path: FORGOT_PATH, text: texts.newLink };
  const html = renderLinkResult(pageContext(c), { isDone: false, title: texts.linkEnded, text: texts.resetEnded, next });
  return await respondPage(c, { html, status: 403 });
}
