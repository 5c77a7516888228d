import { AppError } from "../../errors.ts";
import type { Output } from "../../service/contract.ts";
import { newRandomId } from "../../transfer/retry.ts";
import { ClientError } from "../client-error.ts";
import type { DownloadTarget } from "../download-share/target.ts";
import { createUnlock, type Unlock, type UnlockAccess } from "../download-share/unlock.ts";
import type { Purchase, PurchaseRecords } from "../records/purchase-records.ts";
import { poll } from "../server/poll.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import { shareLinkOf } from "../shares/subject.ts";
import { claimPayment } from "./claim-payment.ts";

export interface BuyContext {
  readonly access: UnlockAccess;
  /** The address of the server. */
  readonly url: string;
  readonly records: PurchaseRecords;
  nowMs(): number;
}

export interface BuyRequest {
  readonly target: Exclude<DownloadTarget, { readonly kind: "signed" }>;
  /** Whether the command buys a share again that this device has already bought. */
  readonly isAgain: boolean;
}

/** `bought`: the share is paid. Other states have a checkout that can be paid; `isContinued`: an earlier command opened the checkout. */
export type BuyCheckout =
  | { readonly state: "bought"; readonly purchase: Purchase; readonly isEarlier: boolean }
  | { readonly state: "open"; readonly purchase: Purchase; readonly isContinued: boolean };

/**
 * Opens the checkout of a priced share, or finds the checkout that this device opened before. Throws the server's error, and PAYMENT_REQUIRED if the
 * payment of an earlier purchase is disputed.
 */
export async function openCheckout(request: BuyRequest, context: BuyContext): Promise<BuyCheckout> {
  const { access, records } = context;
  await access.api.discoverServer(access.signal);
  const unlock = createUnlock(access, request.target);
  const ids = request.target.kind === "private" ? { shortId: (await unlock.renew()).shortId } : toIds(request.target);
  for (;;) {
    try {
      return await records.whileOpening(async () => (await findEarlier(ids, request, context)) ?? (await openNew(ids, unlock, context)));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "UNLOCK_REQUIRED" || unlock.isUnlocked()) throw error;
      // A renewal may ask a person, so it runs outside the lock.
      await unlock.renew();
    }
  }
}

type Ids = { readonly shortId: string } | { readonly fileId: string };

const toIds = (target: Exclude<BuyRequest["target"], { readonly kind: "private" }>): Ids =>
  target.kind === "file" ? { fileId: target.fileId } : { shortId: target.shortId };

/** Finds the remembered purchase of the share that is still valid. Unpaid checkouts come first, because the same command continues them. */
async function findEarlier(ids: Ids, { isAgain }: BuyRequest, { access, url, records }: BuyContext): Promise<BuyCheckout | undefined> {
  const known = await records.findAll("shortId" in ids ? ids.shortId : ids.fileId, url);
  const claim = (purchase: Purchase) => claimPayment({ api: access.api, records, signal: access.signal }, purchase);
  for (const purchase of known.filter(({ purchaseToken }) => purchaseToken === undefined)) {
    const claimed = await claim(purchase);
    if (claimed.state === "paid") return { state: "bought", purchase: claimed.purchase, isEarlier: true };
    if (claimed.state === "open") return { state: "open", purchase, isContinued: true };
  }
  if (isAgain) return undefined;
  for (const purchase of known.filter(({ purchaseToken }) => purchaseToken !== undefined)) {
    const claimed = await claim(purchase);
    if (claimed.state === "paid") return { state: "bought", purchase: claimed.purchase, isEarlier: true };
    if (claimed.state === "disputed")
      throw new ClientError("PAYMENT_REQUIRED", claimed.error.message, {
        fields: claimed.error.fields ?? {},
        advice: [{ kind: "buyAgain" }],
      });
  }
  return undefined;
}

async function openNew(ids: Ids, unlock: Unlock, { access, url, records, nowMs }: BuyContext): Promise<BuyCheckout> {
  const { api, signal, onWait } = access;
  const retry = createRequestRetry(signal, onWait);
  const idempotencyKey = newRandomId();
  const credentials = await unlock.credentials();
  const opened = await retry(({ signal }) => api.call("createCheckout", { ...ids, ...credentials }, { signal, idempotencyKey })).catch(
    (error: unknown) => {
      throw withoutRetry(error);
    },
  );
  const { shortId, sessionId, checkoutUrl, priceCents, availableUntil } = opened;
  const bought = {
    server: url,
    shortId,
    url: await shareLinkOf(api, shortId),
    name: shortId,
    fileIds: "fileId" in ids ? [ids.fileId] : [],
    sessionId,
    checkoutUrl: new URL(checkoutUrl).href,
    priceCents,
    availableUntil,
    createdAt: new Date(nowMs()).toISOString(),
  };
  // The checkout has reserved a download, so the purchase is saved before anything else can fail.
  await records.save(bought);
  const share = await api.call("getShare", { shortId, ...credentials }, { signal }).catch(() => undefined);
  const purchase = share === undefined ? bought : { ...bought, ...describe(share, bought.fileIds) };
  if (share !== undefined) await records.save(purchase);
  return { state: "open", purchase, isContinued: false };
}

function describe({ kind, id, title, name, files }: Output<"getShare">, known: readonly string[]): Pick<Purchase, "name" | "fileIds"> {
  const ids = kind === "file" ? [id] : (files ?? []).map(({ id }) => id);
  return { name: title ?? name, fileIds: [...new Set([...known, ...ids])] };
}

const POLL_MS = 2000;

/** Waits until a checkout is paid. Rejects with PAYMENT_REQUIRED when it ends without a payment, and with the signal's reason. */
export async function waitForPayment(purchase: Purchase, { access, records }: BuyContext): Promise<Purchase> {
  const { api, signal, onWait } = access;
  const look = () => claimPayment({ api, records, signal }, purchase);
  for await (const claimed of poll({ signal, everyMs: POLL_MS, onWait }, look)) {
    if (claimed.state === "paid") return claimed.purchase;
    if (claimed.state !== "open") throw claimed.error;
  }
  throw new Error("The poll ended.");
}
