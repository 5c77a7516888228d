import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { described, flag } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";
import { webUrl } from "../../contract/web-url.ts";

const success = z.literal(true);
const sync = described(flag.optional(), "Whether to ask the payment platform first; default: true", true);
const country = described(
  z
    .string()
    .regex(/^[A-Za-z]{2}$/, "give a country as two letters, such as DE")
    .optional(),
  "Country of a new seller account, two letters (ISO 3166)",
  "DE",
);

const readyToSell = described(z.boolean(), "Whether the account can set prices", false);
const status = z.object({
  readyToSell,
  detailsSubmitted: described(z.boolean(), "Whether the account has given the payment platform what it asks for", true),
  payoutsEnabled: described(z.boolean(), "Whether the payment platform pays the account out", true),
  reason: described(z.string().nullable(), "Why the account cannot sell; null if it can", "Selling is off on this server."),
  fee: described(
    z.object({
      percent: described(z.number(), "Percent of the price", 5),
      fixedCents: described(z.int(), "US cents of each sale", 30),
    }),
    "What the operator of this server keeps of each sale",
  ),
});
const onboardUrl = described(
  secret(webUrl),
  "Page of the payment platform where the seller gives what it asks for; works for minutes",
  "https://connect.stripe.com/setup/e/1",
);
const loginUrl = described(
  secret(webUrl),
  "The seller's dashboard at the payment platform; works for minutes",
  "https://connect.stripe.com/express/1",
);

const OFF = "Selling is off on this server (`SELLING_OFF`), or there is no seller account yet (`SELLER_NOT_READY`)";
const UNAVAILABLE = "The payment platform does not respond";

/** Seller accounts (selling, "Sellers"). */
export const sellingContract = {
  connectSeller: defineOperation({
    summary: "Manage the seller account: status, setup and dashboard",
    description: "`status` returns `readyToSell`; `onboard` also `data.onboardUrl`, and `login` also `data.loginUrl`.",
    tag: "Selling",
    method: "POST",
    path: "/connect",
    access: "full",
    requires: ["verified"],
    repeatable: true,
    input: () => z.object({ action: described(z.enum(["status", "onboard", "login"]), "The action", "status"), sync, country }),
    output: () =>
      z.object({ success, readyToSell, data: status.extend({ onboardUrl: onboardUrl.optional(), loginUrl: loginUrl.optional() }) }),
    errors: { 409: OFF, 503: UNAVAILABLE },
  }),
  getSellerStatus: defineOperation({
    summary: "Get whether the account can sell",
    description: "The same as `POST /connect` with the action `status`.",
    tag: "Selling",
    method: "GET",
    path: "/connect/status",
    access: "full",
    input: () => z.object({ sync }),
    output: () => z.object({ success, readyToSell, data: status }),
    errors: { 503: UNAVAILABLE },
  }),
  onboardSeller: defineOperation({
    summary: "Set up the seller account",
    description: "The same as `POST /connect` with the action `onboard`.",
    tag: "Selling",
    method: "POST",
    path: "/connect/onboard",
    access: "full",
    requires: ["verified"],
    repeatable: true,
    input: () => z.object({ country }),
    output: () => z.object({ success, readyToSell, data: status.extend({ onboardUrl }) }),
    errors: { 409: OFF, 503: UNAVAILABLE },
  }),
  openSellerDashboard: defineOperation({
    summary: "Sign in to the seller dashboard",
    description: "The same as `POST /connect` with the action `login`.",
    tag: "Selling",
    method: "POST",
    path: "/connect/login-link",
    access: "full",
    requires: ["verified"],
    repeatable: true,
    input: () => z.object({}),
    output: () => z.object({ success, readyToSell, data: status.extend({ loginUrl }) }),
    errors: { 409: OFF, 503: UNAVAILABLE },
  }),
} as const;
