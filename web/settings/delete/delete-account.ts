import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { signOutBrowser } from "../../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { requireUser } from "../../../src/service/accounts/actor.ts";
import { requireProof } from "../../../src/service/accounts/proof-of-identity.ts";
import { operations } from "../../../src/service/operations.ts";
import { countBuyers } from "../../../src/service/selling/buyers.ts";
import { hasSubscription } from "../../../src/service/selling/subscribers.ts";
import { withPerson } from "../../account/with-person.ts";
import { renderAccountDeletedPage, renderDeleteAccountPage } from "./delete-account-page.tsx";

/** Handles `GET /settings/delete`. Asks for a proof of identity before the question, not after it. */
export const showDeleteAccountPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    requireProof(c.env.ctx, call);
    return await respondDeleteAccount(c, call);
  });

/** Handles `POST /settings/delete`: deletes the account. */
export const postDeleteAccount = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const { removal: texts } = pageContext(c).texts;
    const refuse = (problem: string) => (refusal: AppError) => respondDeleteAccount(c, call, problem, refusal);
    return await respondToRefusals(
      async () => {
        await operations.deleteMe(c.env.ctx, call, { confirm: form.get("confirm") ?? "", force: form.has("force") });
        const response = await respondPage(c, { html: renderAccountDeletedPage({ ...pageContext(c), person: undefined }) });
        signOutBrowser(c, response);
        return response;
      },
      {
        VALIDATION_FAILED: refuse(texts.problem),
        CONFLICT: refuse(texts.lastAdministrator),
        HAS_BUYERS: refuse(texts.soldMeanwhile),
      },
    );
  });

async function respondDeleteAccount(c: HttpContext, call: RequestContext, problem?: string, refusal?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const { owner, storage, limits } = await operations.getMe(ctx, call, {});
  const html = renderDeleteAccountPage(pageContext(c), {
    email: owner.email ?? "",
    files: limits.files - limits.filesLeft,
    usedBytes: storage.usedBytes,
    keys: (await operations.listKeys(ctx, call, {})).length,
    webhooks: (await operations.listWebhooks(ctx, call, {})).length,
    hasSubscription: await hasSubscription(ctx.db, requireUser(call.actor).userId),
    buyers: await countBuyers(ctx, { sellerId: requireUser(call.actor).userId }),
    problem,
  });
  return await respondPage(c, { html, refusal });
}
