import { createHash, randomUUID } from "node:crypto";
import type { Stripe } from "stripe";

/**
 * Creates an object at Stripe; the same `call` returns the same object for a day. Stripe also repeats a refusal for that time, so the request is then
 * sent anew.
 */
export async function createOnce<Created>(
  call: readonly (string | undefined)[],
  create: (options: Stripe.RequestOptions) => Promise<Created>,
): Promise<Created> {
  // Hashes the key, because Stripe limits the length.
  const idempotencyKey = createHash("sha256").update(JSON.stringify(call)).digest("hex");
  try {
    return await create({ idempotencyKey });
  } catch (error) {
    if (!isRepeated(error)) throw error;
    return await create({ idempotencyKey: randomUUID() });
  }
}

const isRepeated = (error: unknown): boolean =>
  error instanceof Error &&
  "headers" in error &&
  (error.headers as Stripe.errors.StripeError["headers"])?.["idempotent-replayed"] === "true";
