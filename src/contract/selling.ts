import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { flag, text } from "./scalars.ts";

const success = z.literal(true);
const sync = flag.optional().meta({ description: "Whether to ask the payment platform again; true by default" });
const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, "give a country as two letters, such as DE")
  .optional()
  .meta({ description: "The country of a new seller account, as two letters (ISO 3166)" });

const sellerStatus = z.object({
  readyToSell: z.boolean(),
  reason: z.string().nullable().meta({ description: "Why the account cannot sell; null where it can" }),
});
const sellerLink = z.object({ url: z.url().meta({ description: "Where the seller goes on, at the payment platform" }) });
const checkout = z.object({ checkoutUrl: z.url(), sessionId: z.string(), shortId: z.string() });
const purchase = z.object({ purchaseToken: z.string(), fileId: z.string(), shortId: z.string() });

const OFF = "Selling is off on this server (`SELLING_OFF`)";

/** Seller accounts, purchases and upgrades (interface, "Seller payouts"; decisions, "Payments"; docs/interface/selling.md). */
export const sellingContract = {
  connectSeller: defineOperation({
    summary: "Seller account: its status, set-up and dashboard",
    description: "`status` answers `readyToSell`; `onboard` and `login` answer `data.url`.",
    tag: "Selling",
    method: "POST",
    path: "/connect",
    access: "full",
    input: z.object({ action: z.enum(["status", "onboard", "login"]), sync, country }),
    output: z.object({ success, readyToSell: z.boolean().optional(), data: z.union([sellerStatus, sellerLink]) }),
    errors: { 409: OFF },
  }),
  getSellerStatus: defineOperation({
    summary: "Whether the account can sell",
    description: "The same as `POST /connect` with the action `status`.",
    tag: "Selling",
    method: "GET",
    path: "/connect/status",
    access: "full",
    input: z.object({ sync }),
    output: z.object({ success, readyToSell: z.boolean(), data: sellerStatus }),
    errors: {},
  }),
  onboardSeller: defineOperation({
    summary: "Set up the seller account",
    description: "The same as `POST /connect` with the action `onboard`.",
    tag: "Selling",
    method: "POST",
    path: "/connect/onboard",
    access: "full",
    input: z.object({ country }),
    output: z.object({ success, data: sellerLink }),
    errors: { 409: OFF },
  }),
  openSellerDashboard: defineOperation({
    summary: "Sign in to the seller dashboard",
    description: "The same as `POST /connect` with the action `login`.",
    tag: "Selling",
    method: "POST",
    path: "/connect/login-link",
    access: "full",
    input: z.object({}),
    output: z.object({ success, data: sellerLink }),
    errors: { 409: OFF },
  }),
  createCheckout: defineOperation({
    summary: "Start the purchase of a priced share",
    description: "Send `shortId` or `fileId`. The buyer pays at `checkoutUrl`.",
    tag: "Selling",
    method: "POST",
    path: "/purchases/checkout",
    access: "public",
    input: z.object({ shortId: text(16).nullish(), fileId: text(64).nullish() }),
    output: z.object({ success, data: checkout }),
    errors: { 409: OFF },
  }),
  claimPurchase: defineOperation({
    summary: "Exchange a payment for a purchase token",
    description: "Send the `sessionId` of a checkout that was paid.",
    tag: "Selling",
    method: "POST",
    path: "/purchases/claim",
    access: "public",
    input: z.object({ sessionId: text(500).nullish() }),
    output: z.object({ success, data: purchase }),
    errors: { 402: "Not paid yet", 409: OFF },
  }),
  createUpgradeCheckout: defineOperation({
    summary: "Start the payment for Pro",
    tag: "Selling",
    method: "POST",
    path: "/billing/checkout",
    access: "files_write",
    input: z.object({}),
    output: z.object({ success, data: checkout.pick({ checkoutUrl: true }) }),
    errors: { 409: OFF },
  }),
} as const;
