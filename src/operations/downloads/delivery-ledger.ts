import { addSpan, coversWhole, type Span } from "../../domain/range.ts";

/** What this process knows of the deliveries under way; kept in memory, for the most recent ones. */
export interface DeliveryLedger {
  /** Adds a span; true when that makes the delivery whole, which also forgets it. */
  add(deliveryId: string, span: Span, sizeBytes: number): boolean;
  /** Says that an answer of a delivery has been handed on and is about to be recorded; call what it returns when it was. */
  settling(deliveryId: string): () => void;
  /** Resolves when what was handed on of a delivery has been recorded, or after a second. */
  settled(deliveryId: string): Promise<void>;
}

const MAX_DELIVERIES = 10_000;
const SETTLING_MS = 1000;

export function createDeliveryLedger(): DeliveryLedger {
  const deliveries = new Map<string, readonly Span[]>();
  const settling = new Map<string, Set<Promise<void>>>();
  return {
    add(deliveryId, span, sizeBytes) {
      const spans = addSpan(deliveries.get(deliveryId) ?? [], span);
      deliveries.delete(deliveryId);
      if (coversWhole(spans, sizeBytes)) return true;
      deliveries.set(deliveryId, spans);
      const [oldest] = deliveries.keys();
      if (deliveries.size > MAX_DELIVERIES && oldest !== undefined) deliveries.delete(oldest);
      return false;
    },
    settling(deliveryId) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiting = settling.get(deliveryId) ?? new Set();
      settling.set(deliveryId, waiting.add(promise));
      return () => {
        resolve();
        waiting.delete(promise);
        if (waiting.size === 0) settling.delete(deliveryId);
      };
    },
    async settled(deliveryId) {
      const waiting = settling.get(deliveryId);
      if (!waiting) return;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, SETTLING_MS);
      await Promise.race([Promise.all(waiting), late]);
      clearTimeout(timer);
    },
  };
}
