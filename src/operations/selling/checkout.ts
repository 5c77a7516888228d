import type { Operation } from "../operation.ts";
import { sellingOff } from "./selling-off.ts";

/** `POST /purchases/checkout`. Throws SELLING_OFF. */
export const createCheckout: Operation<"createCheckout"> = async () => {
  throw sellingOff();
};

/** `POST /purchases/claim`. Throws SELLING_OFF. */
export const claimPurchase: Operation<"claimPurchase"> = async () => {
  throw sellingOff();
};

/** `POST /billing/checkout`. Throws SELLING_OFF. */
export const createUpgradeCheckout: Operation<"createUpgradeCheckout"> = async () => {
  throw sellingOff();
};
