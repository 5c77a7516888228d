import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit } from "../../contract/paging.ts";
import {
  dateTime,
  described,
  fileId,
  handoffText,
  proofOfWorkFields,
  shortId,
  TOO_MANY_CODES,
  text,
  unlockText,
} from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";

const checkoutUrl = described(
  secret(webUrl),
  "Page of the payment platform that takes the payment",
  "https://checkout.stripe.com/c/pay/cs_1a2b3c",
);
const sessionId = described(
  secret(z.string()),
  "ID of the checkout, with which its buyer claims the purchase: keep it secret",
  "cs_1a2b3c",
);

const salesCursor = z
  .string()
  .regex(/^\d{1,15}_[0-9a-f-]{36}$/, "give the `nextCursor` of the previous response")
  .optional()
  .meta({ description: "The `nextCursor` of the previous response", examples: ["1926590400000_01975d4c-0f5e-7c3a-9d21-5b8e7a6f4c10"] });

const sale = z
  .object({
    id: described(z.string(), "ID of the sale", "01975d4c-0f5e-7c3a-9d21-5b8e7a6f4c10"),
    shortId,
    title: described(z.string().nullable(), "Title of the share, or name of its file; null once it is deleted", "report.pdf"),
    paidAt: described(dateTime, "When it was paid", "2030-01-30T12:00:00Z"),
    state: described(z.enum(["paid", "refunded", "disputed"]), "What became of the payment", "paid"),
    priceCents: described(z.int(), "What the buyer paid, in US cents", 500),
    feeCents: described(z.int(), "What the operator of this server kept of it", 55),
    sellerCents: described(z.int(), "What you get; 0 once it is refunded, and while it is disputed", 445),
  })
  .meta({ id: "Sale", description: "A sale of the account" });

/** Purchases of priced shares (selling, "Purchases"). */
export const purchasesContract = {
  createCheckout: defineOperation({
    summary: "Start the purchase of a priced share",
    description:
      "Send `shortId` or `fileId`, and the code or a token if the share is protected. The buyer pays at `checkoutUrl` within half an hour; " +
      "then claim the purchase with `sessionId`.",
    tag: "Selling",
    method: "POST",
    path: "/purchases/checkout",
    access: "optional",
    input: () =>
      z.object({
        shortId: described(text(16).nullish(), "The share", "7kXq9Zab"),
        fileId: described(text(64).nullish(), "A file of the share, instead of shortId", "5hQ2vR8kLm3xTz0B"),
        unlockCode: described(unlockText.nullish(), "The unlock code or password of a protected share", "K7MP3X"),
        unlockToken: described(text(500).nullish(), "In place of the code: the token that unlocking returned", "ul_mrxkz2g0.7bN2vQ"),
        handoffToken: described(handoffText.nullish(), "The token of a handoff link, instead of the code", "ho_5Yc1mQ"),
        ...proofOfWorkFields,
      }),
    example: { shortId: "7kXq9Zab" },
    envelope: "data",
    output: () =>
      z.object({
        checkoutUrl,
        sessionId,
        shortId,
        priceCents: described(z.int(), "What the buyer pays, in US cents", 500),
        availableUntil: described(
          dateTime.nullable(),
          "Until when what is bought can be downloaded; null: without an end",
          "2030-02-28T12:00:00Z",
        ),
      }),
    errors: {
      403: "Protected, or your own share",
      404: "Missing, expired or blocked",
      409: "Selling is off (`SELLING_OFF`), no price (`CONFLICT`), sold out (`SOLD_OUT`), or the seller cannot sell now (`SELLER_NOT_READY`)",
      429: TOO_MANY_CODES,
      503: "The payment platform does not respond",
    },
  }),
  claimPurchase: defineOperation({
    summary: "Exchange a payment for a purchase token",
    description: "Send the `sessionId` of a checkout that was paid. Each call returns the same token.",
    tag: "Selling",
    method: "POST",
    path: "/purchases/claim",
    access: "optional",
    repeatable: true,
    input: () => z.object({ sessionId: described(text(500).nullish(), "The checkout", "cs_1a2b3c") }),
    envelope: "data",
    output: () =>
      z.object({
        purchaseToken: described(secret(z.string()), "Proof of payment for downloads", "pu_3xK9"),
        fileId,
        shortId,
      }),
    errors: {
      402: "Not paid yet, or refunded",
      403: "Your own share",
      404: "No such checkout, or its share is gone",
      409: "Selling is off on this server (`SELLING_OFF`)",
      503: "The payment platform does not respond",
    },
  }),
  listSales: defineOperation({
    summary: "List the account's sales",
    description: "The last one first. They remain when their shares have ended. Says nothing about the buyers.",
    tag: "Selling",
    method: "GET",
    isCompressed: true,
    path: "/purchases/sales",
    access: "full",
    input: () =>
      z.object({
        shortId: described(text(16).min(1).optional(), "Only the sales of this share", "7kXq9Zab"),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: salesCursor,
      }),
    output: () =>
      z.object({
        success: z.literal(true),
        data: described(z.array(sale), "The sales of this page"),
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: {},
  }),
  refundSale: defineOperation({
    summary: "Refund a sale in full",
    description:
      "The buyer gets the whole price, and can no longer download. It happens within moments, or as soon as the payment platform responds.",
    tag: "Selling",
    method: "POST",
    path: "/purchases/refund",
    access: "full",
    input: () => z.object({ id: described(text(64).min(1), "The sale's ID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e") }),
    envelope: "data",
    output: () => z.object({ id: described(z.string(), "The sale's ID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e") }),
    errors: { 404: "Unknown or not yours", 409: "Already refunded, or disputed" },
  }),
} as const;
