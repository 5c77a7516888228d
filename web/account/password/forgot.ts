import type { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { operations } from "../../../src/service/operations.ts";
import { parseInput } from "../../../src/service/parse-input.ts";
import { signInContract } from "../../../src/service/sign-in/contract.ts";
import { waitText } from "../sign-in/sign-in.ts";
import { withVisitor } from "../visitor.ts";
import { renderForgottenPage, renderLinkSentPage } from "./forgot-page.tsx";

export const showForgottenPage = (c: HttpContext): Promise<Response> => respondForgotten(c, {});

/** Handles `POST /forgot`: mails a link that sets a new password. */
export const postForgottenPassword = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: false }, async (call) => {
    const email = (await readPageForm(c, call)).get("email")?.trim() ?? "";
    const refuse = (refusal: AppError) => respondForgotten(c, { email, refusal });
    return await respondToRefusals(
      async () => {
        await operations.requestPasswordReset(c.env.ctx, call, parseInput(signInContract.requestPasswordReset.input, { email }));
        return await respondPage(c, { html: renderLinkSentPage(pageContext(c), { email }) });
      },
      { VALIDATION_FAILED: refuse, RATE_LIMITED: refuse, CONFLICT: refuse },
    );
  });

async function respondForgotten(c: HttpContext, { email, refusal }: { email?: string; refusal?: AppError }): Promise<Response> {
  const page = pageContext(c);
  const problem = refusal && (waitText(c, refusal) ?? page.texts.account.problems.email);
  const html = renderForgottenPage(page, { email, problem, hasMail: c.env.ctx.config.mail !== undefined });
  return await respondPage(c, { html, refusal });
}
