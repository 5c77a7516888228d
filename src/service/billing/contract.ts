import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { described, text } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";

/** Payment for Pro (selling, "Pro"). */
export const billingContract = {
  createUpgradeCheckout: defineOperation({
    summary: "Start the payment for Pro",
    description: "A person pays at `checkoutUrl`.",
    tag: "Selling",
    method: "POST",
    path: "/billing/checkout",
    access: "files_write",
    requires: ["verified"],
    repeatable: true,
    input: () =>
      z.object({
        plan: described(text(64).nullish(), "The plan; default: the only one", "pro"),
        locale: described(text(35).nullish(), "The language of the page that takes the payment", "en"),
      }),
    envelope: "data",
    output: () =>
      z.object({
        checkoutUrl: described(secret(webUrl), "Page where the payment is made", "https://checkout.stripe.com/c/pay/cs_1a2b3c"),
      }),
    errors: {
      409: "Selling is off on this server (`SELLING_OFF`), or the account has Pro already (`CONFLICT`)",
      503: "The payment platform does not respond",
    },
  }),
  createBillingPortal: defineOperation({
    summary: "Open the page where the account changes how it pays, or cancels",
    tag: "Selling",
    method: "POST",
    path: "/billing/portal",
    access: "full",
    requires: ["verified"],
    repeatable: true,
    input: () => z.object({}),
    envelope: "data",
    output: () =>
      z.object({
        portalUrl: described(secret(webUrl), "Page of the payment platform; works for minutes", "https://billing.stripe.com/p/session/1"),
      }),
    errors: {
      409: "Selling is off on this server (`SELLING_OFF`), or the account has not paid for Pro here (`CONFLICT`)",
      503: "The payment platform does not respond",
    },
  }),
} as const;
