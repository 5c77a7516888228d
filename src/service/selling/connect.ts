import type { Ctx } from "../../context.ts";
import type { SellerRow } from "../../db/tables/selling.ts";
import { AppError } from "../../errors.ts";
import { requireUser, type UserActor } from "../accounts/actor.ts";
import { requireAsDefined } from "../accounts/requirements.ts";
import { findUser } from "../accounts/users.ts";
import type { Operation } from "../operation.ts";
import { sellingContract } from "./contract.ts";
import { SELLING_OFF_MESSAGE, usePayments } from "./payments.ts";
import { addSeller, findSeller, isReadyToSell, refreshSeller } from "./sellers.ts";

/** `POST /connect`. Throws SELLING_OFF for all but `status`, SELLER_NOT_READY for `login` without an account, UNAVAILABLE. */
export const connectSeller: Operation<"connectSeller"> = async (ctx, call, { action, sync, country }) => {
  if (action === "status") return await getSellerStatus(ctx, call, { sync });
  if (action === "onboard") return await onboardSeller(ctx, call, { country });
  return await openSellerDashboard(ctx, call, {});
};

/** `GET /connect/status`: asks the payment platform first, unless `sync` is false. Throws UNAVAILABLE. */
export const getSellerStatus: Operation<"getSellerStatus"> = async (ctx, call, { sync = true }) => {
  const { userId } = requireUser(call.actor);
  const seller = await findSeller(ctx.db, userId);
  return toResponse(ctx, sync && seller && ctx.config.payments ? await refreshSeller(ctx, seller) : seller);
};

/** `POST /connect/onboard`: creates the seller's account at the payment platform, once. Throws SELLING_OFF, UNAVAILABLE. */
export const onboardSeller: Operation<"onboardSeller"> = async (ctx, call, { country }) => {
  const user = requireAsDefined(ctx, call, sellingContract.onboardSeller);
  const seller = await ensureSeller(ctx, user, country?.toUpperCase());
  const page = `${ctx.urls.siteUrl}/settings/selling`;
  const onboardUrl = await usePayments(ctx, (payments) =>
    payments.createOnboardingLink(seller.account, { returnUrl: `${page}?returned`, refreshUrl: `${page}?again` }),
  );
  const { success, readyToSell, data } = toResponse(ctx, seller);
  return { success, readyToSell, data: { ...data, onboardUrl } };
};

/** `POST /connect/login-link`. Throws SELLING_OFF, SELLER_NOT_READY before the first setup, UNAVAILABLE. */
export const openSellerDashboard: Operation<"openSellerDashboard"> = async (ctx, call) => {
  const { userId } = requireAsDefined(ctx, call, sellingContract.openSellerDashboard);
  const seller = await usePayments(ctx, async () => await findSeller(ctx.db, userId));
  if (seller?.details_submitted !== 1) throw new AppError("SELLER_NOT_READY", "Set up your seller account first, with the action onboard.");
  const loginUrl = await usePayments(ctx, (payments) => payments.createLoginLink(seller.account));
  const { success, readyToSell, data } = toResponse(ctx, seller);
  return { success, readyToSell, data: { ...data, loginUrl } };
};

/** Returns the account's seller at the payment platform. Creates another one if the platform no longer knows it. */
async function ensureSeller(ctx: Ctx, { userId }: UserActor, country: string | undefined): Promise<SellerRow> {
  const found = await findSeller(ctx.db, userId);
  const read = found && (await refreshSeller(ctx, found));
  if (read?.isKnown) return read;
  const lost = found?.account;
  const user = await findUser(ctx.db, userId);
  const email = user?.email_verified === 1 ? user.email : undefined;
  const account = await usePayments(ctx, (payments) => payments.createSeller({ userId, email, country, lost }));
  return await ctx.transaction((ctx) => addSeller(ctx, { userId, account, lost }));
}

function toResponse({ config }: Pick<Ctx, "config">, seller: SellerRow | undefined) {
  const readyToSell = config.payments !== undefined && isReadyToSell(seller);
  const { basisPoints, fixedCents } = config.payments?.fee ?? { basisPoints: 0, fixedCents: 0 };
  return {
    success: true,
    readyToSell,
    data: {
      readyToSell,
      detailsSubmitted: seller?.details_submitted === 1,
      payoutsEnabled: seller?.payouts_enabled === 1,
      reason: readyToSell ? null : reasonOf(config.payments !== undefined, seller),
      fee: { percent: basisPoints / 100, fixedCents },
    },
  } as const;
}

function reasonOf(isOn: boolean, seller: SellerRow | undefined): string {
  if (!isOn) return SELLING_OFF_MESSAGE;
  if (seller === undefined) return "There is no seller account yet. Set it up with the action onboard (filehost sell setup).";
  if (seller.details_submitted !== 1)
    return "The setup of the seller account is not finished. Continue it with the action onboard (filehost sell setup).";
  return "Stripe does not accept payments for this account now. Its dashboard says what is missing: action login (filehost sell dashboard).";
}
