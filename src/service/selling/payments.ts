import type { Ctx } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { PaymentError, type Payments } from "../../pay/payments.ts";

export const SELLING_OFF_MESSAGE = "Selling is off on this server. Share files without a price.";

/** The message for buyers, who may have paid before selling was turned off. */
export const BUYING_OFF_MESSAGE = "Selling is off on this server now. Try again later, or ask the sender.";

const RETRY_AFTER_SECONDS = 30;

/** Calls the payment platform. Throws SELLING_OFF if there is none, UNAVAILABLE if the request fails. Must not run in a transaction. */
export async function usePayments<Result>(
  ctx: Pick<Ctx, "payments" | "log">,
  use: (payments: Payments) => Promise<Result>,
): Promise<Result> {
  if (!ctx.payments) throw new AppError("SELLING_OFF", SELLING_OFF_MESSAGE);
  try {
    return await use(await ctx.payments());
  } catch (error) {
    if (!(error instanceof PaymentError)) throw error;
    ctx.log.warn({ err: error, kind: error.kind }, "the payment platform did not do what was asked");
    throw new AppError("UNAVAILABLE", "The payment platform does not respond as expected. Try again in a moment.", {
      cause: error,
      ...(error.kind === "unavailable" && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
    });
  }
}
