import { AppError } from "../../errors.ts";
import { formatDollars } from "../../lib/text/format-dollars.ts";
import { ClientError } from "../client-error.ts";
import type { PurchaseRecords } from "../records/purchase-records.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { claimPayment } from "./claim-payment.ts";

export interface PurchaseProofOptions {
  readonly api: RemoteApi;
  /** The address of the server. Purchases at other servers are not used. */
  readonly url: string;
  readonly records: PurchaseRecords;
  readonly signal: AbortSignal;
  /** A purchase token from elsewhere, used in place of the remembered ones. */
  readonly token: string | undefined;
  /** The link or ID that the command was given, for the advice in errors. */
  readonly link: string;
}

type Credentials = { readonly purchaseToken?: string };

/** Proves to one server that a share was bought. */
export interface PurchaseProof {
  /** Returns the token of a share, if there is one. */
  credentials(id: string): Promise<Credentials>;
  /** Gets a new token after the server refused the known one. Resolves to false if there is no other. */
  renew(id: string): Promise<boolean>;
  /**
   * Calls with the purchase token, and once more if the server has made another token since. Throws the errors of the call; PAYMENT_REQUIRED with the
   * price and the command that buys.
   */
  prove<T>(id: string, call: (credentials: Credentials) => Promise<T>): Promise<T>;
}

/** Creates the proof of purchase. `id` is the short ID of a share, or the ID of a file. A checkout that was paid meanwhile is claimed. */
export function createPurchaseProof({ api, url, records, signal, token, link }: PurchaseProofOptions): PurchaseProof {
  const found = new Map<string, string | undefined>();

  async function claim(id: string): Promise<string | undefined> {
    for (const purchase of await records.findAll(id, url)) {
      const claimed = await claimPayment({ api, records, signal }, purchase);
      if (claimed.state === "paid") return claimed.purchase.purchaseToken;
    }
    return undefined;
  }

  async function find(id: string): Promise<string | undefined> {
    if (token !== undefined) return token;
    if (!found.has(id)) {
      const known = (await records.findAll(id, url)).find(({ purchaseToken }) => purchaseToken !== undefined);
      found.set(id, known?.purchaseToken ?? (await claim(id)));
    }
    return found.get(id);
  }

  async function renew(id: string): Promise<boolean> {
    const used = await find(id);
    const renewed = token === undefined && used !== undefined ? await claim(id) : undefined;
    if (renewed === undefined || renewed === used) return false;
    found.set(id, renewed);
    return true;
  }

  return {
    credentials: async (id) => toCredentials(await find(id)),
    renew,
    async prove(id, call) {
      const used = await find(id);
      try {
        return await call(toCredentials(used));
      } catch (error) {
        if (!isUnpaid(error)) throw error;
        if (!(await renew(id))) throw withAdvice(error, used !== undefined, link);
        return await call(toCredentials(found.get(id))).catch((error: unknown) => {
          throw isUnpaid(error) ? withAdvice(error, true, link) : error;
        });
      }
    },
  };
}

const toCredentials = (purchaseToken: string | undefined): Credentials => (purchaseToken === undefined ? {} : { purchaseToken });

const isUnpaid = (error: unknown): error is AppError => error instanceof AppError && error.code === "PAYMENT_REQUIRED";

function withAdvice(error: AppError, wasSent: boolean, link: string): AppError {
  const fields = (error.fields ?? {}) as Record<string, unknown>;
  const price = typeof fields.priceCents === "number" ? `It costs ${formatDollars(fields.priceCents)}.` : "This share has a price.";
  const refused = wasSent ? "The purchase does not count any more: it was paid back or disputed, or is of another share. " : "";
  return new ClientError("PAYMENT_REQUIRED", `${refused}${price}`, { fields, cause: error, advice: [{ kind: "buy", link }] });
}
