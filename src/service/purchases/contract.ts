import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { described, fileId, flag, shortId, text } from "../../contract/scalars.ts";
import { webUrl } from "../../contract/web-url.ts";

const success = z.literal(true);
const sync = described(flag.optional(), "Whether to refresh the status from the payment platform; default: true", true);
const country = described(
  z
    .string()
    .regex(/^[A-Za-z]{2}$/, "give a country as two letters, such as DE")
    .optional(),
  "Country of a new seller account, two letters (ISO 3166)",
  "DE",
);

const readyToSell = described(z.boolean(), "Whether the account can sell", false);
const sellerStatus = z.object({
  readyToSell,
  reason: described(z.string().nullable(), "Why the account cannot sell; null if it can", "Selling is off on this server."),
});
const sellerLink = z.object({
  url: described(webUrl, "URL for the seller at the payment platform", "https://pay.example.org/s/1"),
});
const checkoutUrl = described(webUrl, "URL of the checkout", "https://pay.example.org/c/1");
const sessionId = described(z.string(), "ID of the checkout, to claim the purchase", "cs_1a2b3c");
const checkout = z.object({ checkoutUrl, sessionId, shortId });
const purchase = z.object({
  purchaseToken: described(z.string(), "Proof of payment for downloads", "pu_3xK9"),
  fileId,
  shortId,
});

const OFF = "Selling is off on this server (`SELLING_OFF`)";

/** Seller accounts, purchases and upgrades (selling, "A server that does not sell"). */
export const sellingContract = {
  connectSeller: defineOperation({
    summary: "Manage the seller account: status, setup and dashboard",
    description: "`status` returns `readyToSell`; `onboard` and `login` return `data.url`.",
    tag: "Selling",
    method: "POST",
    path: "/connect",
    access: "full",
    repeatable: true,
    input: z.object({ action: described(z.enum(["status", "onboard", "login"]), "The action", "status"), sync, country }),
    output: z.object({ success, readyToSell: readyToSell.optional(), data: z.union([sellerStatus, sellerLink]) }),
    errors: { 409: OFF },
  }),
  getSellerStatus: defineOperation({
    summary: "Get whether the account can sell",
    description: "The same as `POST /connect` with the action `status`.",
    tag: "Selling",
    method: "GET",
    path: "/connect/status",
    access: "full",
    input: z.object({ sync }),
    output: z.object({ success, readyToSell, data: sellerStatus }),
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
    envelope: "data",
    output: sellerLink,
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
    envelope: "data",
    output: sellerLink,
    errors: { 409: OFF },
  }),
  createCheckout: defineOperation({
    summary: "Start the purchase of a priced share",
    description: "Send `shortId` or `fileId`. The buyer pays at `checkoutUrl`.",
    tag: "Selling",
    method: "POST",
    path: "/purchases/checkout",
    access: "public",
    input: z.object({
      shortId: described(text(16).nullish(), "The share", "7kXq9Zab"),
      fileId: described(text(64).nullish(), "A file of the share, instead of shortId", "5hQ2vR8kLm3xTz0B"),
    }),
    envelope: "data",
    output: checkout,
    errors: { 409: OFF },
  }),
  claimPurchase: defineOperation({
    summary: "Exchange a payment for a purchase token",
    description: "Send the `sessionId` of a checkout that was paid.",
    tag: "Selling",
    method: "POST",
    path: "/purchases/claim",
    access: "public",
    input: z.object({ sessionId: described(text(500).nullish(), "The checkout", "cs_1a2b3c") }),
    envelope: "data",
    output: purchase,
    errors: { 402: "Not paid yet", 409: OFF },
  }),
  createUpgradeCheckout: defineOperation({
    summary: "Start the payment for Pro",
    tag: "Selling",
    method: "POST",
    path: "/billing/checkout",
    access: "files_write",
    input: z.object({
      plan: described(text(64).nullish(), "The plan; default: the only one", "pro"),
      locale: described(text(35).nullish(), "The language of the page that takes the payment", "en"),
    }),
    envelope: "data",
    output: checkout.pick({ checkoutUrl: true }),
    errors: { 409: OFF },
  }),
} as const;
