import type { RequestContext } from "../../../src/context.ts";
import type { AppError } from "../../../src/errors.ts";
import { readAction } from "../../../src/http/reading/read-action.ts";
import { readPageForm } from "../../../src/http/reading/read-body.ts";
import { pageContext } from "../../../src/http/responding/page-context.ts";
import { redirect, respondPage } from "../../../src/http/responding/respond-page.ts";
import { respondToRefusals } from "../../../src/http/responding/respond-to-refusals.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { requireUser } from "../../../src/service/accounts/actor.ts";
import type { Output } from "../../../src/service/contract.ts";
import { operations } from "../../../src/service/operations.ts";
import { purchasesContract } from "../../../src/service/purchases/contract.ts";
import { sellingContract } from "../../../src/service/selling/contract.ts";
import { findSeller } from "../../../src/service/selling/sellers.ts";
import { withPerson } from "../../account/with-person.ts";
import { leaveToPayment } from "../../selling/share-sale.ts";
import { SELLING_PATH } from "../paths.ts";
import { renderSellingPage, type SellingPageProps } from "./selling-page.tsx";

const ROWS = 50;

/** Handles `GET /settings/selling`: shows the current state of the account at Stripe, the operator's fee, and the sales. */
export const showSellingPage = (c: HttpContext): Promise<Response> => withPerson(c, (call) => respondSelling(c, call, {}));

/** Handles `POST /settings/selling`: redirects to a page of Stripe. */
export const postSelling = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    const form = await readPageForm(c, call);
    const action = readAction(form, ["onboard", "login", "refund"]);
    return await respondToRefusals(
      async () => {
        if (action === "refund") {
          await operations.refundSale(c.env.ctx, call, { id: form.get("id") ?? "" });
          return redirect(c, 303, `${SELLING_PATH}?refunded`);
        }
        return await leaveToPayment(c, await findPage(c, call, { action, form }));
      },
      { UNAVAILABLE: (refusal) => respondSelling(c, call, { problem: pageContext(c).texts.selling.problem }, refusal) },
    );
  });

interface StripeForm {
  readonly action: "onboard" | "login";
  readonly form: URLSearchParams;
}

async function findPage(c: HttpContext, call: RequestContext, { action, form }: StripeForm): Promise<string> {
  const { ctx } = c.env;
  if (action === "login") return (await operations.openSellerDashboard(ctx, call, {})).data.loginUrl ?? "";
  const country = sellingContract.onboardSeller.input.shape.country.safeParse(form.get("country") || undefined).data;
  return (await operations.onboardSeller(ctx, call, { country })).data.onboardUrl ?? "";
}

async function respondSelling(
  c: HttpContext,
  call: RequestContext,
  shown: Pick<SellingPageProps, "problem">,
  refusal?: AppError,
): Promise<Response> {
  const { ctx } = c.env;
  const query = new URLSearchParams(c.env.url.search);
  const cursor = purchasesContract.listSales.input.shape.cursor.safeParse(query.get("cursor") ?? undefined).data;
  const { status, isKnown } = await readStatus(c, call);
  const { data: sales, nextCursor } = await operations.listSales(ctx, call, { cursor, limit: ROWS });
  const { readyToSell, detailsSubmitted, payoutsEnabled } = status.data;
  const note =
    query.has("again") && !readyToSell ? "again" : query.has("returned") ? "back" : query.has("refunded") ? "refunded" : undefined;
  const html = renderSellingPage(pageContext(c), {
    ...{ readyToSell, detailsSubmitted, payoutsEnabled, sales, nextCursor, ...shown },
    hasAccount: (await findSeller(ctx.db, requireUser(call.actor).userId)) !== undefined,
    fee: ctx.config.payments?.fee ?? { basisPoints: 0, fixedCents: 0 },
    note: isKnown ? note : "unreachable",
  });
  return await respondPage(c, { html, refusal });
}

interface SellerStatus {
  readonly status: Output<"getSellerStatus">;
  /** Whether the state is current at Stripe. */
  readonly isKnown: boolean;
}

const readStatus = ({ env: { ctx } }: HttpContext, call: RequestContext): Promise<SellerStatus> =>
  respondToRefusals(async () => ({ status: await operations.getSellerStatus(ctx, call, {}), isKnown: true }), {
    UNAVAILABLE: async () => ({ status: await operations.getSellerStatus(ctx, call, { sync: false }), isKnown: false }),
  });
