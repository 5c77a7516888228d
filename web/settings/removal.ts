import type { RequestContext } from "../../src/context.ts";
import { AppError } from "../../src/errors.ts";
import { signedOutCookie } from "../../src/http/callers/session-cookie.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { errorHeaders } from "../../src/http/responding/http-error.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { requireUser } from "../../src/service/accounts/actor.ts";
import { requireProof } from "../../src/service/accounts/proof.ts";
import { operations } from "../../src/service/operations.ts";
import { countBuyers } from "../../src/service/selling/buyers.ts";
import { hasSubscription } from "../../src/service/selling/subscribers.ts";
import { withPerson } from "../account/signed-in.ts";
import { renderRemovalPage, renderRemovedPage } from "./removal-page.tsx";
import type { RemovalTexts } from "./texts/en.ts";

/** `GET /settings/delete`. Asks for the proof before the question, not after it. */
export const showRemovalPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    requireProof(c.env.ctx, call);
    return await respondRemoval(c, call);
  });

/** `POST /settings/delete`, by that page's form. */
export const sendRemoval = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    try {
      await operations.deleteMe(c.env.ctx, call, { confirm: form.get("confirm") ?? "", force: form.has("force") });
    } catch (error) {
      if (!(error instanceof AppError) || !SHOWN.has(error.code)) throw error;
      return await respondRemoval(c, call, error);
    }
    const response = await respondPage(c, { html: renderRemovedPage({ ...pageContext(c), person: undefined }) });
    response.headers.append("Set-Cookie", signedOutCookie(c));
    return response;
  });

/** The errors after which the page asks again. */
const SHOWN: ReadonlySet<string> = new Set(["VALIDATION_FAILED", "CONFLICT", "HAS_BUYERS"]);

async function respondRemoval(c: HttpContext, call: RequestContext, error?: AppError): Promise<Response> {
  const { ctx } = c.env;
  const page = pageContext(c);
  const { removal: texts } = page.texts;
  const { owner, storage, limits } = await operations.getMe(ctx, call, {});
  const html = renderRemovalPage(page, {
    email: owner.email ?? "",
    files: limits.files - limits.filesLeft,
    usedBytes: storage.usedBytes,
    keys: (await operations.listKeys(ctx, call, {})).length,
    webhooks: (await operations.listWebhooks(ctx, call, {})).length,
    hasSubscription: await hasSubscription(ctx.db, requireUser(call.actor).userId),
    buyers: await countBuyers(ctx, { sellerId: requireUser(call.actor).userId }),
    problem: error && toProblem(texts, error),
  });
  return await respondPage(c, { html, status: error?.status, headers: error && errorHeaders(error) });
}

function toProblem(texts: RemovalTexts, { code }: AppError): string {
  if (code === "HAS_BUYERS") return texts.soldMeanwhile;
  return code === "CONFLICT" ? texts.lastAdministrator : texts.problem;
}
