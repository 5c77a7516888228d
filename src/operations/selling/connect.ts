import type { Operation } from "../operation.ts";
import { SELLING_OFF_MESSAGE, sellingOff } from "./selling-off.ts";

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
