import { SETTINGS_PATH, SIGN_IN_PATH } from "../../web/account/paths.ts";
import { renderSettingsPage, type SettingsPageProps } from "../../web/account/settings-page.tsx";
import type { RequestContext } from "../context.ts";
import { PASSWORD } from "../contract/scalars.ts";
import { AppError } from "../errors.ts";
import { operations } from "../service/operations.ts";
import { signInContract } from "../service/sign-in/contract.ts";
import { waitText } from "./account-pages.ts";
import { identifyCaller } from "./caller.ts";
import type { HttpContext } from "./env.ts";
import { errorHeaders } from "./http-error.ts";
import { pageContext } from "./page-context.ts";
import { readPageForm } from "./read-body.ts";
import { redirect, respondErrorPage, respondPage } from "./respond-page.ts";

/** `GET /settings`. Who is not signed in signs in first. */
export const showSettingsPage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondSettings(c, call, {}));

/** `POST /settings/sessions`, by a form of the settings: ends a session. */
export const endSession = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const id = (await readPageForm(c, call)).get("id") ?? "";
    try {
      await operations.revokeSession(c.env.ctx, call, { id });
    } catch (error) {
      // It has ended meanwhile, which is what was asked for.
      if (!(error instanceof AppError && error.code === "NOT_FOUND")) throw error;
    }
    return await respondSettings(c, call, { done: pageContext(c).texts.account.sessionEnded });
  });

/** `POST /settings/password`, by a form of the settings. */
export const sendPassword = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const texts = pageContext(c).texts.account;
    const input = signInContract.changePassword.input.safeParse({
      currentPassword: form.get("currentPassword") ?? "",
      newPassword: form.get("newPassword") ?? "",
    });
    if (!input.success) {
      const text = texts.problems.password(PASSWORD.minLength, PASSWORD.maxLength);
      return await respondSettings(c, call, { passwordProblem: { field: "newPassword", text } }, new AppError("VALIDATION_FAILED", text));
    }
    try {
      const { endedSessions } = await operations.changePassword(c.env.ctx, call, input.data);
      return await respondSettings(c, call, { done: texts.passwordChanged(endedSessions) });
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== "FORBIDDEN" && error.code !== "RATE_LIMITED")) throw error;
      const text = waitText(c, error) ?? texts.problems.currentPassword;
      return await respondSettings(c, call, { passwordProblem: { field: "currentPassword", text } }, error);
    }
  });

async function withPerson(c: HttpContext, work: (call: RequestContext) => Promise<Response>): Promise<Response> {
  try {
    const call = await identifyCaller(c, "page");
    if (c.env.person === undefined) return redirect(c, 303, `${SIGN_IN_PATH}?next=${encodeURIComponent(SETTINGS_PATH)}`);
    return await work(call);
  } catch (error) {
    return await respondErrorPage(c, error);
  }
}

type Outcome = Pick<SettingsPageProps, "done" | "passwordProblem">;

async function respondSettings(c: HttpContext, call: RequestContext, outcome: Outcome, error?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const [{ owner }, sessions] = await Promise.all([operations.getMe(ctx, call, {}), operations.listSessions(ctx, call, {})]);
  const html = renderSettingsPage(pageContext(c), { email: owner.email ?? "", sessions, ...outcome });
  return await respondPage(c, { html, status: error?.status, headers: error && errorHeaders(error) });
}
