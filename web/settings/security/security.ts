import type { RequestContext } from "../../../src/context.ts";
import { PASSWORD } from "../../../src/contract/scalars.ts";
import type { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { requireUser } from "../../../src/service/accounts/actor.ts";
import { operations } from "../../../src/service/operations.ts";
import { parseInput } from "../../../src/service/parse-input.ts";
import { signInContract } from "../../../src/service/sign-in/contract.ts";
import { hasPassword } from "../../../src/service/sign-in/passwords.ts";
import { isProved } from "../../account/prove/prove.ts";
import { waitText } from "../../account/sign-in/sign-in.ts";
import { withPerson } from "../../account/with-person.ts";
import { renderSecurityPage, type SecurityPageProps } from "./security-page.tsx";

export const showSecurityPage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondSecurity(c, call, {}));

/** Handles `POST /settings/security/sessions`: ends the session that the form names, or all others. */
export const postSessions = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const id = (await readPageForm(c, call)).get("id");
    const { account: texts } = pageContext(c).texts;
    if (id === null) {
      const { endedSessions } = await operations.revokeOtherSessions(c.env.ctx, call, {});
      return await respondSecurity(c, call, { done: texts.othersEnded(endedSessions) });
    }
    // A session that has ended meanwhile counts as ended by the form.
    await respondToRefusals(() => operations.revokeSession(c.env.ctx, call, { id }), { NOT_FOUND: () => undefined });
    return await respondSecurity(c, call, { done: texts.sessionEnded });
  });

/** Handles `POST /settings/security/applications`: disconnects the application that the form names. */
export const postApplications = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const id = (await readPageForm(c, call)).get("id") ?? "";
    await operations.disconnectApplication(c.env.ctx, call, { id });
    return await respondSecurity(c, call, { done: pageContext(c).texts.oauth.disconnected });
  });

/** Handles `POST /settings/security/password`: sets or changes the password. */
export const postPassword = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const texts = pageContext(c).texts.account;
    const fields = { currentPassword: form.get("currentPassword"), newPassword: form.get("newPassword") ?? "" };
    const refuse = (field: "currentPassword" | "newPassword", text: string) => (refusal: AppError) =>
      respondSecurity(c, call, { passwordProblem: { field, text: waitText(c, refusal) ?? text } }, refusal);
    return await respondToRefusals(
      async () => {
        const input = parseInput(signInContract.changePassword.input, fields);
        const { endedSessions } = await operations.changePassword(c.env.ctx, call, input);
        return await respondSecurity(c, call, { done: texts.passwordChanged(endedSessions) });
      },
      {
        VALIDATION_FAILED: refuse("newPassword", texts.problems.password(PASSWORD.minLength, PASSWORD.maxLength)),
        FORBIDDEN: refuse("currentPassword", texts.problems.currentPassword),
        RATE_LIMITED: refuse("currentPassword", texts.problems.currentPassword),
      },
    );
  });

type Outcome = Pick<SecurityPageProps, "done" | "passwordProblem" | "connectionProblem">;

/** Responds with the page, and with the change by the last form or the error that refused it. */
export async function respondSecurity(c: HttpContext, call: RequestContext, outcome: Outcome, refusal?: AppError): Promise<Response> {
  const sessions = await operations.listSessions(c.env.ctx, call, {});
  const { isOn } = await operations.getTotp(c.env.ctx, call, {});
  const connections = await operations.listConnections(c.env.ctx, call, {});
  const applications = await operations.listApplications(c.env.ctx, call, {});
  const { length: passkeyCount } = await operations.listPasskeys(c.env.ctx, call, {});
  const html = renderSecurityPage(pageContext(c), {
    sessions,
    connections,
    applications,
    hasTwoStep: isOn,
    passkeyCount,
    hasPassword: await hasPassword(c.env.ctx.db, requireUser(call.actor).userId),
    isProved: isProved(c, call),
    ...outcome,
  });
  return await respondPage(c, { html, refusal });
}
