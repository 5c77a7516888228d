import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";

const SELLING_OFF_MESSAGE = "Selling is off on this server. Share files without a price.";

/** Thrown for all purchases and payouts, before any other check. */
const sellingOff = (): AppError => new AppError("SELLING_OFF", SELLING_OFF_MESSAGE);

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

const STATUS = {
  success: true,
  readyToSell: false,
  data: { readyToSell: false, reason: SELLING_OFF_MESSAGE },
} as const;

/** `POST /connect`. Throws SELLING_OFF for all but `status`. */
export const connectSeller: Operation<"connectSeller"> = async (_ctx, _call, { action }) => {
  if (action !== "status") throw sellingOff();
  return STATUS;
};

/** `GET /connect/status`. */
export const getSellerStatus: Operation<"getSellerStatus"> = async () => STATUS;

/** `POST /connect/onboard`. Throws SELLING_OFF. */
export const onboardSeller: Operation<"onboardSeller"> = async () => {
  throw sellingOff();
};

/** `POST /connect/login-link`. Throws SELLING_OFF. */
export const openSellerDashboard: Operation<"openSellerDashboard"> = async () => {
  throw sellingOff();
};
