import { z } from "zod";
import { email, flag, integer, list, metadata, oneOf, shared, text, webUrl } from "./form.ts";
import { lineItem } from "./line-items.ts";

const LOCALES =
  "auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK zh-TW".split(
    " ",
  );

export const newSession = z.strictObject({
  ...shared,
  mode: oneOf("payment", "setup", "subscription"),
  line_items: list(lineItem),
  success_url: webUrl(),
  cancel_url: webUrl().optional(),
  ui_mode: oneOf("elements", "embedded_page", "form", "hosted_page").optional(),
  payment_intent_data: z
    .strictObject({
      application_fee_amount: integer({ min: 1 }).optional(),
      description: text(1000).optional(),
      metadata: metadata().optional(),
      on_behalf_of: text().optional(),
      receipt_email: email().optional(),
      statement_descriptor_suffix: text(22).optional(),
      transfer_data: z.strictObject({ destination: text() }).optional(),
    })
    .optional(),
  subscription_data: z.strictObject({ description: text(500).optional(), metadata: metadata().optional() }).optional(),
  metadata: metadata().optional(),
  client_reference_id: text(200).optional(),
  customer: text().optional(),
  customer_email: email().optional(),
  customer_creation: oneOf("always", "if_required").optional(),
  expires_at: integer({ min: 0 }).optional(),
  locale: oneOf(...LOCALES).optional(),
  allow_promotion_codes: flag().optional(),
  billing_address_collection: oneOf("auto", "required").optional(),
  payment_method_types: list(oneOf("card", "us_bank_account", "sepa_debit", "link")).optional(),
  submit_type: oneOf("auto", "book", "donate", "pay", "subscribe").optional(),
  automatic_tax: z.strictObject({ enabled: flag() }).optional(),
});
export type NewSession = z.output<typeof newSession>;
