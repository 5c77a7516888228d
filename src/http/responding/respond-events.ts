import type { RequestContext } from "../../context.ts";
import type { OperationDefinition } from "../../contract/operation.ts";
import { KEEP_ALIVE_SECONDS } from "../routing/connection-watch.ts";
import type { HttpContext } from "../routing/env.ts";

/** Interval of comments that keep proxies from closing an idle stream. */
const COMMENT_INTERVAL_MS = 15_000;

export interface Events {
  readonly call: RequestContext;
  readonly definition: NonNullable<OperationDefinition["events"]>;
  /** The operation's output; undefined for no more events, in which case the response is a 204, after which browsers do not reconnect. */
  readonly items: AsyncIterable<unknown> | undefined;
}

/**
 * Streams server-sent events without names, each with an ID for `Last-Event-ID` (imports, "Events of a job"). Throws RATE_LIMITED if the
 * caller has too many open streams.
 */
export function respondEvents(c: HttpContext, { call, definition, items }: Events): Response {
  if (!items) return new Response(null, { status: 204, headers: { "Cache-Control": "no-store" } });
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" };
  if (c.req.method === "HEAD") return new Response(null, { headers });
  const closeStream = c.env.streams.open(call);
  c.env.responseIdleSeconds = 0;
  return new Response(toStream(c, items, { definition, closeStream }), { headers });
}

function toStream(
  c: HttpContext,
  items: AsyncIterable<unknown>,
  { definition, closeStream }: Pick<Events, "definition"> & { closeStream(): void },
): ReadableStream<Uint8Array> {
  // The stream ends on shutdown, so that its client reconnects to another server instance.
  const { stop } = c.env;
  const encoder = new TextEncoder();
  const iterator = items[Symbol.asyncIterator]();
  let comments: ReturnType<typeof setInterval> | undefined;
  let end = (): void => {};
  const release = (): void => {
    closeStream();
    c.env.peer.setIdleTimeout(KEEP_ALIVE_SECONDS);
    clearInterval(comments);
    stop?.removeEventListener("abort", end);
    iterator.return?.()?.then(undefined, (error: unknown) => c.env.log.error({ err: error }, "closing an event stream failed"));
  };
  // Not every runtime cancels the stream if the client disconnects before the first byte.
  c.req.raw.signal.addEventListener("abort", release, { once: true });
  return new ReadableStream<Uint8Array>({
    start(controller) {
      comments = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(":\n\n"));
      }, COMMENT_INTERVAL_MS);
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
