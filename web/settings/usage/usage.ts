import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { requireUser } from "../../../src/service/accounts/actor.ts";
import { describePro, type ProDescription, refreshSubscription } from "../../../src/service/billing/describe-pro.ts";
import { operations } from "../../../src/service/operations.ts";
import { defaultTtlMs } from "../../../src/service/shares/expiry.ts";
import { withPerson } from "../../account/with-person.ts";
import { leaveToPayment } from "../../selling/share-sale.ts";
import { renderUsagePage, type UsagePageProps } from "./usage-page.tsx";

/** Handles `GET /settings/usage`: shows the account's usage and its Pro. After a payment (`?paid`), says whether it has arrived. */
export const showUsagePage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const hasPaid = c.req.query("paid") !== undefined;
    if (hasPaid) await readPayment(c, call);
    return await respondUsage(c, call, { hasPaid });
  });

/** Handles `POST /settings/usage`: redirects to a page of Stripe, or of the operator. */
export const postUsage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const action = readAction(form, ["buy", "portal"]);
    const { pro } = pageContext(c).texts;
    const refuse = (problem: string) => (refusal: AppError) => respondUsage(c, call, { problem, refusal });
    return await respondToRefusals(async () => await leaveToPayment(c, await findPage(c, call, { action, form })), {
      UNAVAILABLE: refuse(pro.problem),
      CONFLICT: action === "portal" ? undefined : refuse(pro.paysAlready),
    });
  });

interface PaymentForm {
  readonly action: "buy" | "portal";
  readonly form: URLSearchParams;
}

async function findPage(c: HttpContext, call: RequestContext, { action, form }: PaymentForm): Promise<string> {
  const { ctx } = c.env;
  if (action === "portal") return (await operations.createBillingPortal(ctx, call, {})).portalUrl;
  const { checkoutUrl } = await operations.createUpgradeCheckout(ctx, call, { plan: form.get("plan"), locale: pageContext(c).language });
  return checkoutUrl;
}

/** Refreshes the subscription. If the payment platform does not respond, the page shows that the payment is pending. */
async function readPayment({ env: { ctx } }: HttpContext, { actor }: RequestContext): Promise<void> {
  await respondToRefusals(() => refreshSubscription(ctx, requireUser(actor).userId), {
    UNAVAILABLE: () => undefined,
    SELLING_OFF: () => undefined,
  });
}

function toPayment({ subscription }: ProDescription): UsagePageProps["payment"] {
  if (subscription === undefined) return "waiting";
  return subscription.isLate ? undefined : "received";
}

interface Shown {
  readonly hasPaid?: boolean;
  readonly problem?: string;
  readonly refusal?: AppError;
}

async function respondUsage(c: HttpContext, call: RequestContext, { hasPaid = false, problem, refusal }: Shown): Promise<Response> {
  const { ctx } = c.env;
  const actor = requireUser(call.actor);
  const [me, pro] = [await operations.getMe(ctx, call, {}), await describePro(ctx, actor.userId)];
  const { storageMaxBytes: storageBytes, fileBytes, retentionMs } = ctx.config.tiers.pro;
  const props: UsagePageProps = {
    ...me,
    isKept: defaultTtlMs(actor.tier, ctx.config.tiers[actor.tier]) === null,
    pro: { ...pro, isUnverified: actor.isUnverified === true, limits: { storageBytes, fileBytes, retentionMs } },
    payment: hasPaid && pro.plans.length > 0 ? toPayment(pro) : undefined,
    problem,
  };
  const html = renderUsagePage(pageContext(c), props);
  return await respondPage(c, { html, refusal });
}
