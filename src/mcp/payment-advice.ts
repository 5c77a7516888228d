import type { AppError } from "../errors.ts";
import { formatDollars } from "../lib/text/format-dollars.ts";

/** Returns the advice about PAYMENT_REQUIRED for a model, in which a person decides and pays; undefined for other errors. */
export function paymentAdvice({ code, fields, message }: AppError): string | undefined {
  if (code !== "PAYMENT_REQUIRED") return undefined;
  const { purchaseStatus, priceCents } = fields as { readonly purchaseStatus?: unknown; readonly priceCents?: unknown };
  if (purchaseStatus === "open")
    return `${message} A person pays at the checkoutUrl of service_purchase_checkout. Call service_purchase_claim again when they say that they have paid.`;
  if (purchaseStatus !== undefined)
    return `${message} Tell your person. Only if they want to buy it, call service_purchase_checkout for another checkout.`;
  const price = typeof priceCents === "number" ? `This share costs ${formatDollars(priceCents)}` : "This share has a price";
  return `${price}, and was not bought with this call's purchaseToken. Ask your person whether they want to buy it. Only then call service_purchase_checkout, and show them its checkoutUrl, where they pay.`;
}
