import { createHmac } from "node:crypto";
import type { Stripe } from "stripe";

/** Returns the value of the header `Stripe-Signature`. */
export function sign(body: string, secret: string, atMs = Date.now()): string {
  const timestamp = Math.floor(atMs / 1000);
  return `t=${timestamp},v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

/** Formats an event for sending. */
export const toBody = (event: Stripe.Event): string => JSON.stringify(event, null, 2);

/** Sends an event. Resolves to the status of the response; undefined if there is none. */
export async function send(event: Stripe.Event, url: string, secret: string, signal: AbortSignal): Promise<number | undefined> {
  const body = toBody(event);
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
    "Stripe-Signature": sign(body, secret),
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
