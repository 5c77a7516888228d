import type { Call } from "../context.ts";
import type { OperationDefinition } from "../contract/operation.ts";
import type { HttpContext } from "./env.ts";
import { KEEP_ALIVE_SECONDS } from "./idle-times.ts";

/** Says that the connection lives, to whatever stands in between. */
const COMMENT_EVERY_MS = 15_000;

export interface Events {
  readonly call: Call;
  readonly definition: NonNullable<OperationDefinition["events"]>;
  /** What an operation resolved to: undefined where nothing is to come any more, which a browser takes as the end. */
  readonly items: AsyncIterable<unknown> | undefined;
  /** Ends the answer, so that its client comes back and reaches another process. */
  readonly stop: AbortSignal | undefined;
}

/**
 * Server-sent events, unnamed, each with the id that `Last-Event-ID` may name later (decisions, "Remote import"). Throws RATE_LIMITED
 * where the caller has too many of them open.
 */
export function answerEvents(c: HttpContext, { call, definition, items, stop }: Events): Response {
  if (!items) return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" };
  if (c.req.method === "HEAD") return new Response(null, { headers });
  const leave = c.env.streams.take(call);
  c.env.answerIdleSeconds = 0;
  return new Response(toStream(c, items, { definition, stop, leave }), { headers });
}

function toStream(
  c: HttpContext,
  items: AsyncIterable<unknown>,
  { definition, stop, leave }: Pick<Events, "definition" | "stop"> & { leave(): void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = items[Symbol.asyncIterator]();
  let comments: ReturnType<typeof setInterval> | undefined;
  let end = (): void => {};
  const release = (): void => {
    leave();
    c.env.peer.setIdleTimeout(KEEP_ALIVE_SECONDS);
    clearInterval(comments);
    stop?.removeEventListener("abort", end);
    iterator.return?.()?.then(undefined, (error: unknown) => c.env.log.error({ err: error }, "ending an event stream failed"));
  };
  // A client that leaves before the first byte does not cancel the stream in every runtime.
  c.req.raw.signal.addEventListener("abort", release, { once: true });
  return new ReadableStream<Uint8Array>({
    start(controller) {
      comments = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(":\n\n"));
      }, COMMENT_EVERY_MS);
      end = () => {
        release();
        controller.close();
      };
      if (stop?.aborted) end();
      else stop?.addEventListener("abort", end, { once: true });
    },
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (stop?.aborted) return;
        if (next.done) {
          end();
          return;
        }
        const item = definition.data.parse(next.value);
        controller.enqueue(encoder.encode(`id: ${definition.id(item as never)}\ndata: ${JSON.stringify(item)}\n\n`));
      } catch (error) {
        release();
        throw error;
      }
    },
    cancel: release,
  });
}
