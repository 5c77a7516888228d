import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { requireProof } from "../../../src/service/accounts/proof-of-identity.ts";
import { operations } from "../../../src/service/operations.ts";
import { waitText } from "../../account/sign-in/sign-in.ts";
import { withPerson } from "../../account/with-person.ts";
import { TWO_STEP_PATH } from "../paths.ts";
import { renderTwoStepPage, type TwoStepPageProps } from "./two-step-page.tsx";

export const showTwoStepPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    requireProof(c.env.ctx, call);
    const { since, recoveryCodesLeft } = await operations.getTotp(c.env.ctx, call, {});
    return since === null ? await respondSetUp(c, call) : await respond(c, { kind: "on", since, recoveryCodesLeft });
  });

/** Handles `POST /settings/security/two-step`: sets up, changes and turns off two-step sign-in. */
export const postTwoStep = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const { ctx } = c.env;
    const form = await readPageForm(c, call);
    const action = readAction(form, ["confirm", "codes", "off"]);
    const refuse = (refusal: AppError) => respondSetUp(c, call, refusal);
    return await respondToRefusals(
      async () => {
        switch (action) {
          case "confirm": {
            const { recoveryCodes } = await operations.confirmTotp(ctx, call, { code: form.get("code")?.slice(0, 50) ?? "" });
            return await respond(c, { kind: "codes", recoveryCodes, isNew: true });
          }
          case "codes": {
            const { recoveryCodes } = await operations.createRecoveryCodes(ctx, call, {});
            return await respond(c, { kind: "codes", recoveryCodes, isNew: false });
          }
          case "off":
            await operations.endTotp(ctx, call, {});
            return redirect(c, 303, TWO_STEP_PATH);
        }
      },
      {
        // The second step has changed meanwhile, or the form was sent twice.
        CONFLICT: () => redirect(c, 303, TWO_STEP_PATH),
        FORBIDDEN: refuse,
        RATE_LIMITED: refuse,
      },
    );
  });

async function respondSetUp(c: HttpContext, call: RequestContext, refusal?: AppError): Promise<Response> {
  const { secret, url } = await operations.startTotp(c.env.ctx, call, {});
  const problem = refusal && (waitText(c, refusal) ?? pageContext(c).texts.factors.wrongCode);
  return await respond(c, { kind: "setUp", secret, url, problem }, refusal);
}

const respond = (c: HttpContext, props: TwoStepPageProps, refusal?: AppError): Promise<Response> =>
  respondPage(c, {
    html: renderTwoStepPage(pageContext(c), props),
    refusal,
    hasSecrets: props.kind !== "on",
  });
