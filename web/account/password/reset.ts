import { PASSWORD } from "../../../src/contract/scalars.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { parseInput } from "../../../src/service/parse-input.ts";
import { signInContract } from "../../../src/service/sign-in/contract.ts";
import { findResetLink } from "../../../src/service/sign-in/take-over.ts";
import { renderLinkResult } from "../link-result-page.tsx";
import { FORGOT_PATH, SIGN_IN_PATH } from "../paths.ts";
import { withVisitor } from "../visitor.ts";
import { renderNewPasswordPage } from "./reset-page.tsx";

export const showNewPasswordPage = (c: HttpContext): Promise<Response> => respondNewPassword(c, {});

/** Handles `POST /reset/:token`: sets the new password. */
export const postNewPassword = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, async (call) => {
    const form = await readPageForm(c, call);
    const { texts } = pageContext(c);
    return await respondToRefusals(
      async () => {
        const fields = { token: c.req.param("token"), newPassword: form.get("newPassword") ?? "" };
        await operations.resetPassword(c.env.ctx, call, parseInput(signInContract.resetPassword.input, fields));
        c.env.person = undefined;
        const { passwordSaved: title, passwordSavedText: text } = texts.accountLinks;
        const next = { path: SIGN_IN_PATH, text: texts.account.signIn };
        return await respondPage(c, { html: renderLinkResult(pageContext(c), { isDone: true, title, text, next }) });
      },
      {
        VALIDATION_FAILED: () =>
          respondNewPassword(c, { problem: texts.account.problems.password(PASSWORD.minLength, PASSWORD.maxLength) }),
        FORBIDDEN: () => respondEnded(c),
      },
    );
  });

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
