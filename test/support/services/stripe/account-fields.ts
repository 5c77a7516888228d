import { z } from "zod";
import { email, flag, metadata, oneOf, shared, text, webUrl } from "./form.ts";

const profile = z.strictObject({
  mcc: text(4).optional(),
  name: text().optional(),
  product_description: text(40_000).optional(),
  url: webUrl().optional(),
});
const changes = {
  ...shared,
  email: email().optional(),
  metadata: metadata().optional(),
  business_type: oneOf("company", "government_entity", "individual", "non_profit").optional(),
  business_profile: profile.optional(),
};
const requested = z.strictObject({ requested: flag().optional() }).optional();
const capabilities = z.strictObject({ card_payments: requested, transfers: requested }).optional();

export const newAccount = z.strictObject({
  ...changes,
  country: text().optional(),
  type: oneOf("custom", "express", "standard").optional(),
  capabilities,
  controller: z
    .strictObject({
      fees: z.strictObject({ payer: oneOf("account", "application").optional() }).optional(),
      losses: z.strictObject({ payments: oneOf("application", "stripe").optional() }).optional(),
      requirement_collection: oneOf("application", "stripe").optional(),
      stripe_dashboard: z.strictObject({ type: oneOf("express", "full", "none").optional() }).optional(),
    })
    .optional(),
});
export const accountChanges = z.strictObject({ ...changes, capabilities });

export type NewAccount = z.output<typeof newAccount>;
