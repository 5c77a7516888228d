import type { AppError } from "../../../src/errors.ts";
import { endedSignInCookie, readSignInToken } from "../../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { toOwnPath } from "../../../src/lib/http/own-path.ts";
import { operations } from "../../../src/service/operations.ts";
import { signInContract } from "../../../src/service/sign-in/contract.ts";
import { SIGN_IN_PATH, withNext } from "../paths.ts";
import { withVisitor } from "../visitor.ts";
import { type CodePageProps, renderCodePage } from "./code-page.tsx";
import { respondSignedIn, waitText } from "./sign-in.ts";

/** Handles `GET /signin/code?next=…`. Redirects to the first step if no password was accepted before. */
export async function showCodePage(c: HttpContext): Promise<Response> {
  const next = toOwnPath(c.req.query("next"));
  return readSignInToken(c) === undefined ? redirect(c, 303, withNext(SIGN_IN_PATH, next)) : await respondCode(c, { next });
}

/** Handles `POST /signin/code`: checks the code, and signs in. */
export const postSignInCode = (c: HttpContext): Promise<Response> =>
  withVisitor(c, { setsCookie: true }, async (call) => {
    const form = await readPageForm(c, call);
    const next = toOwnPath(form.get("next"));
    const startAgain = () => redirect(c, 303, withNext(SIGN_IN_PATH, next));
    const kind = form.get("kind") === "recovery" ? "recovery" : "app";
    const refuse = (refusal: AppError) => respondCode(c, { next, kind, refusal });
    const input = signInContract.signInWithCode.input.safeParse({ signInToken: readSignInToken(c), code: form.get("code") ?? "" });
    if (!input.success) return startAgain();
    return await respondToRefusals(
      async () => {
        const { sessionToken } = await operations.signInWithCode(c.env.ctx, call, input.data);
        const response = respondSignedIn(c, sessionToken, next);
        response.headers.append("Set-Cookie", endedSignInCookie(c));
        return response;
      },
      { UNAUTHENTICATED: startAgain, FORBIDDEN: refuse, RATE_LIMITED: refuse },
    );
  });

interface CodeState {
  readonly next: string | undefined;
  readonly kind?: "app" | "recovery";
  readonly refusal?: AppError;
}

async function respondCode(c: HttpContext, { next, kind = "app", refusal }: CodeState): Promise<Response> {
  const page = pageContext(c);
  const { wrongCode, wrongRecoveryCode } = page.texts.factors;
  const problem: CodePageProps["problem"] = refusal && {
    kind,
    text: waitText(c, refusal) ?? (kind === "app" ? wrongCode : wrongRecoveryCode),
  };
  return await respondPage(c, {
    html: renderCodePage(page, { next, problem }),
    refusal,
  });
}
