import type { RequestContext } from "../../../src/context.ts";
import { AppError } from "../../../src/errors.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { toOwnPath } from "../../../src/lib/http/own-path.ts";
import { requireUser } from "../../../src/service/accounts/actor.ts";
import { provedUntilMs } from "../../../src/service/accounts/proof-of-identity.ts";
import { operations } from "../../../src/service/operations.ts";
import { signInContract } from "../../../src/service/sign-in/contract.ts";
import { hasPassword } from "../../../src/service/sign-in/passwords.ts";
import { waitText } from "../sign-in/sign-in.ts";
import { withPerson } from "../with-person.ts";
import { renderProvePage } from "./prove-page.tsx";

/** Handles `GET /prove?next=…`. Redirects a person whose proof is recent enough. */
export const showProvePage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const next = toOwnPath(c.req.query("next")) ?? "/";
    return isProved(c, call) ? redirect(c, 303, next) : await respondProve(c, call, { next });
  });

/** Handles `POST /prove`: checks the proof, and redirects to the next page. */
export const postProof = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const next = toOwnPath(form.get("next")) ?? "/";
    const refuse = (refusal: AppError) => respondProve(c, call, { next, refusal });
    return await respondToRefusals(
      async () => {
        const input = signInContract.prove.input.safeParse({ password: form.get("password") ?? "", code: form.get("code") });
        if (!input.success) throw new AppError("FORBIDDEN", "");
        await operations.prove(c.env.ctx, call, input.data);
        return redirect(c, 303, next);
      },
      { FORBIDDEN: refuse, SECOND_FACTOR_REQUIRED: refuse, RATE_LIMITED: refuse },
    );
  });

/** Whether the session of the request has a proof that is recent enough. */
export const isProved = (c: HttpContext, { actor }: RequestContext): boolean => provedUntilMs(c.env.ctx, requireUser(actor)) !== undefined;

interface ProveState {
  readonly next: string;
  readonly refusal?: AppError;
  readonly passkeyRefusal?: AppError;
  readonly providerRefusal?: AppError;
}

export async function respondProve(
  c: HttpContext,
  call: RequestContext,
  { next, refusal, passkeyRefusal, providerRefusal }: ProveState,
): Promise<Response> {
  const page = pageContext(c);
  const { isOn } = await operations.getTotp(c.env.ctx, call, {});
  const { problems } = page.texts.account;
  const problem = refusal && (waitText(c, refusal) ?? (isOn ? page.texts.factors.wrongProof : problems.currentPassword));
  const connections = await operations.listConnections(c.env.ctx, call, {});
  const isConnected = connections.some(({ isUsable }) => isUsable);
  const passkeys = await operations.listPasskeys(c.env.ctx, call, {});
  const html = renderProvePage(page, {
    next,
    hasPassword: await hasPassword(c.env.ctx.db, requireUser(call.actor).userId),
    hasPasskeys: passkeys.some(({ isUsable }) => isUsable),
    needsCode: isOn,
    isConnected,
    hasMail: c.env.ctx.config.mail !== undefined,
    needsProviderCode: isOn && c.env.ctx.config.oidc?.hasTwoStep !== true,
    problem,
    passkeyProblem: passkeyRefusal && (waitText(c, passkeyRefusal) ?? page.texts.passkeys.problems.prove),
    providerProblem: providerRefusal && (waitText(c, providerRefusal) ?? page.texts.factors.wrongCode),
  });
  return await respondPage(c, { html, refusal: refusal ?? passkeyRefusal ?? providerRefusal });
}
