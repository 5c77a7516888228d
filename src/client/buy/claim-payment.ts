import { AppError } from "../../errors.ts";
import type { Purchase, PurchaseRecords } from "../records/purchase-records.ts";
import type { RemoteApi } from "../server/remote-api.ts";

/** The result of a claim. `open`: the checkout can still be paid, or the payment has not arrived yet. */
export type Claimed =
  | { readonly state: "paid"; readonly purchase: Purchase & { readonly purchaseToken: string } }
  | { readonly state: "open" | "ended" | "refunded" | "disputed" | "gone"; readonly error: AppError };

const STATES = ["open", "ended", "refunded", "disputed"] as const;
/** Reasons of a 404 with which the server says that a checkout has ended. Another 404 may come from a proxy, or concern a share that comes back. */
const GONE = ["unknown", "gone"] as const;

/**
 * Asks the server whether a checkout was paid, and saves its purchase token. Forgets a checkout that has ended, was refunded, or whose share was
 * deleted. Throws other errors of the server.
 */
export async function claimPayment(
  { api, records, signal }: { readonly api: RemoteApi; readonly records: PurchaseRecords; readonly signal: AbortSignal },
  known: Purchase,
): Promise<Claimed> {
  try {
    const { purchaseToken, fileId } = await api.call("claimPurchase", { sessionId: known.sessionId }, { signal });
    const purchase = { ...known, purchaseToken, fileIds: [...new Set([...known.fileIds, fileId])] };
    await records.save(purchase);
    return { state: "paid", purchase };
  } catch (error) {
    const state = toState(error);
    if (state === undefined) throw error;
    if (state !== "open" && state !== "disputed") await records.forget(known);
    return { state, error: error as AppError };
  }
}

function toState(error: unknown): Exclude<Claimed["state"], "paid"> | undefined {
  if (!(error instanceof AppError)) return undefined;
  const { purchaseStatus } = (error.fields ?? {}) as { purchaseStatus?: unknown };
  if (error.code === "NOT_FOUND") return GONE.some((state) => state === purchaseStatus) ? "gone" : undefined;
  if (error.code !== "PAYMENT_REQUIRED") return undefined;
  return STATES.find((state) => state === purchaseStatus) ?? "open";
}
