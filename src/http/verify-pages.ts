import { renderLinkResult } from "../../web/account/link-result-page.tsx";
import { VERIFY_PATH } from "../../web/account/paths.ts";
import { renderVerificationLink, renderVerifyPage, type VerifyPageProps } from "../../web/account/verify-page.tsx";
import { AppError } from "../errors.ts";
import { operations } from "../service/operations.ts";
import { findAccountLink } from "../service/sign-in/account-links.ts";
import { waitText } from "./account-pages.ts";
import { identifyCaller } from "./caller.ts";
import type { HttpContext } from "./env.ts";
import { errorHeaders } from "./http-error.ts";
import { pageContext } from "./page-context.ts";
import { redirect, respondErrorPage, respondPage } from "./respond-page.ts";
import { withPerson } from "./signed-in-page.ts";

/** `GET /verify`. Whose address is verified goes on. */
export const showVerifyPage = (c: HttpContext): Promise<Response> => withPerson(c, () => respondVerify(c, {}));

/** `POST /verify`: mails the link again. */
export const sendVerificationAgain = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    try {
      await operations.resendVerification(c.env.ctx, call, {});
      return await respondVerify(c, { done: pageContext(c).texts.accountLinks.sentAgain });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "CONFLICT") return redirect(c, 303, "/");
      const problem = waitText(c, error);
      if (problem === undefined) throw error;
      return await respondVerify(c, { problem }, error);
    }
  });

async function respondVerify(c: HttpContext, outcome: Omit<VerifyPageProps, "email">, error?: AppError): Promise<Response> {
  const email = c.env.person?.unverifiedEmail;
  if (email === undefined) return redirect(c, 303, "/");
  const html = renderVerifyPage(pageContext(c), { email, ...outcome });
  return await respondPage(c, { html, status: error?.status, headers: error && errorHeaders(error) });
}

/** `GET /verify/:token`. */
export async function showVerificationLink(c: HttpContext): Promise<Response> {
  const token = c.req.param("token") ?? "";
  if (!(await findAccountLink(c.env.ctx, token, "verify"))) return await respondEnded(c);
  const html = renderVerificationLink(pageContext(c), { path: `${VERIFY_PATH}/${encodeURIComponent(token)}` });
  return await respondPage(c, { html, hasSecrets: true });
}

/** `POST /verify/:token`, by that page's form. */
export async function verifyByLink(c: HttpContext): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page");
    await operations.verifyEmail(c.env.ctx, call, { token: c.req.param("token") ?? "" });
    // The banner of this page asks for it no longer.
    if (c.env.person) c.env.person = { ...c.env.person, unverifiedEmail: undefined };
    const texts = pageContext(c).texts.accountLinks;
    const next = { path: "/", text: texts.goOn };
    return await respondPage(c, {
      html: renderLinkResult(pageContext(c), { isDone: true, title: texts.verified, text: texts.verifiedText, next }),
    });
  } catch (error) {
    return error instanceof AppError && error.code === "FORBIDDEN" ? await respondEnded(c) : await respondErrorPage(c, error);
  }
}

async function respondEnded(c: HttpContext): Promise<Response> {
  const texts = pageContext(c).texts.accountLinks;
  const next = { path: VERIFY_PATH, text: texts.sendAgain };
  const html = renderLinkResult(pageContext(c), { isDone: false, title: texts.linkEnded, text: texts.verifyEnded, next });
  return await respondPage(c, { html, status: 403 });
}
