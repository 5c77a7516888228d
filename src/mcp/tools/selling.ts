import { described, text } from "../../contract/scalars.ts";
import { invalidField } from "../../errors.ts";
import { formatDollars } from "../../lib/text/format-dollars.ts";
import { contract, type RequestInput } from "../../service/contract.ts";
import { parseInput } from "../../service/parse-input.ts";
import type { Api } from "../api.ts";
import { readShareReference } from "../share-link.ts";
import { defineTool, operationTool, toDescription } from "../tool.ts";
import type { LockedSubject } from "../unlock-code.ts";

export const createCheckout = operationTool({
  name: "create_checkout",
  title: "Upgrade to Pro",
  operation: "createUpgradeCheckout",
  isForGuests: true,
  guestsNeed: "upgradePage",
  next: () => "A person pays at checkoutUrl. Show it to them; do not open it yourself.",
});

const { createCheckout: checkout } = contract;

const checkoutInput = checkout.input.extend({
  link: described(
    text(2000).nullish(),
    "In place of the IDs: a share link, a private link or a short ID",
    "https://files.example.org/d/7kXq9Zab",
  ),
});

export const purchaseCheckout = defineTool({
  name: "purchase_checkout",
  title: "Buy a priced share",
  description: toDescription(
    checkout,
    "Ask your person first: a checkout of a limited share reserves one of its downloads. You never pay yourself. Each call opens another checkout.",
  ),
  access: checkout.access,
  isForGuests: true,
  guestsNeed: "payments",
  mayAsk: true,
  annotations: { openWorldHint: false },
  input: checkoutInput,
  output: checkout.output,
  async run({ api, withUnlockCode }, _, sent) {
    const { link, unlockCode, ...fields } = parseInput(checkoutInput, sent);
    if (link && (fields.shortId || fields.fileId)) throw invalidField("link", "Send link, or shortId or fileId, not both.");
    const data = await withUnlockCode({
      sent: unlockCode ?? undefined,
      subject: async () => await describeSubject(api, link ?? fields.shortId),
      run: async (unlockCode) =>
        await api.call("createCheckout", { ...fields, ...(await findShare(api, link)), ...(unlockCode !== undefined && { unlockCode }) }),
    });
    return {
      data,
      next:
        `Show your person checkoutUrl and the price, ${formatDollars(data.priceCents)}: they pay there within half an hour. Do not open it yourself. ` +
        "When they say that they have paid, call service_purchase_claim with sessionId, which you tell nobody.",
    };
  },
});

/** Finds the share of a link, and the token of a private link that opens the share. */
async function findShare(api: Api, link: string | null | undefined): Promise<RequestInput<"createCheckout">> {
  if (!link) return {};
  const reference = await readShareReference(api, link);
  if (!("handoffToken" in reference)) return reference;
  const { shortId, unlockToken } = await api.call("unlockDownload", reference);
  return { shortId, unlockToken };
}

async function describeSubject(api: Api, link: string | null | undefined): Promise<LockedSubject> {
  if (!link) return { what: "this share" };
  const reference = await readShareReference(api, link);
  if ("handoffToken" in reference) return { what: "this private link" };
  const { name, kind } = await api.call("getShare", reference);
  return { what: `the ${kind} with the short ID ${reference.shortId}`, name };
}

export const purchaseClaim = operationTool({
  name: "purchase_claim",
  title: "Get what was paid for",
  operation: "claimPurchase",
  isForGuests: true,
  guestsNeed: "payments",
  hint: "Call it when your person says that they have paid. Before that it is PAYMENT_REQUIRED, and can be called again.",
  next: () =>
    "Call service_get_download_url with fileId and purchaseToken; without a key, call service_register_agent before. Save purchaseToken: " +
    "who has it can download.",
});

export const connect = operationTool({
  name: "connect",
  title: "Manage the seller account",
  operation: "connectSeller",
  hint: "A key of an agent that registered itself cannot sell.",
  next: ({ readyToSell, data: { onboardUrl, loginUrl } }) => {
    if (onboardUrl !== undefined)
      return "Show your person onboardUrl, which works for minutes: they set up payments there. Do not open it yourself.";
    if (loginUrl !== undefined)
      return "Show loginUrl, which works for minutes, to your person alone: it opens their dashboard without a password.";
    return readyToSell
      ? "The account can sell. Set priceCents with service_update_share_settings."
      : "The reason says what is missing. To set up payments, call this with the action onboard.";
  },
});
