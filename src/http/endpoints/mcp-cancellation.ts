import { z } from "zod";
import { cancelMcpCall, isMcpCallCancelled, type McpCall } from "../../service/mcp/cancellations.ts";
import type { HttpContext } from "../routing/env.ts";

/** Interval at which the database is read for the cancellation of a running call. */
const POLL_MS = 1000;

const requestId = z.union([z.number(), z.string().max(200)]).transform((id) => JSON.stringify(id));
const toolCall = z.object({ id: requestId, method: z.literal("tools/call") });
const cancellation = z.object({ params: z.object({ requestId }) });

/** Returns the ID of the call that a notification cancels; undefined if it is not valid. */
export const findCancelled = (message: unknown): string | undefined => cancellation.safeParse(message).data?.params.requestId;

/** Cancels a call of the client that sent the message. Does nothing for a client without an ID, whose calls cannot be distinguished from others. */
export async function cancelCall(c: HttpContext, client: string | undefined, requestId: string): Promise<void> {
  if (client !== undefined) await cancelMcpCall(c.env.ctx, { client, requestId });
}

export interface CancellationWatch extends Disposable {
  /** The signal that aborts when the client has cancelled the call. */
  readonly signal: AbortSignal;
}

/** Watches for the cancellation of the call in a message, until it is disposed of (mcp, "Cancelling"). */
export function watchCancellation(c: HttpContext, client: string | undefined, message: unknown): CancellationWatch {
  const controller = new AbortController();
  const id = client === undefined ? undefined : toolCall.safeParse(message).data?.id;
  if (client === undefined || id === undefined) return { signal: controller.signal, [Symbol.dispose]: () => undefined };
  const timer = setInterval(() => void check(c, { client, requestId: id }, controller), POLL_MS);
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

async function check(c: HttpContext, call: McpCall, controller: AbortController): Promise<void> {
  try {
    if (await isMcpCallCancelled(c.env.ctx, call)) controller.abort();
  } catch (error) {
    c.env.log.warn({ err: error }, "mcp cancellation not read");
  }
}
