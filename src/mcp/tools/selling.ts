import { operationTool } from "../tool.ts";

export const createCheckout = operationTool({
  name: "create_checkout",
  title: "Upgrade to Pro",
  operation: "createUpgradeCheckout",
  isForGuests: true,
  next: () => "A person pays at checkoutUrl. Show it to them; do not open it yourself.",
});

export const purchaseCheckout = operationTool({
  name: "purchase_checkout",
  title: "Buy a priced share",
  operation: "createCheckout",
  isForGuests: true,
  next: () => "A person pays at checkoutUrl. Then call service_purchase_claim with sessionId.",
});

export const purchaseClaim = operationTool({
  name: "purchase_claim",
  title: "Get what was paid for",
  operation: "claimPurchase",
  isForGuests: true,
  next: () => "Call service_get_download_url with fileId and purchaseToken.",
});

export const connect = operationTool({
  name: "connect",
  title: "Manage the seller account",
  operation: "connectSeller",
  next: ({ readyToSell }) =>
    readyToSell
      ? "The account can sell. Set priceCents with service_update_share_settings."
      : "A person opens the URL, or the reason says what is missing.",
});
