import type { RequestContext } from "../../context.ts";
import { AppError, invalidField, toAppError } from "../../errors.ts";
import { linkSignals } from "../../lib/concurrency/linked-signal.ts";
import { identifyMcpClient, newMcpClientId } from "../../service/mcp/cancellations.ts";
import { closeMcpSession, findMcpSession, type McpSession, openMcpSession } from "../../service/mcp/sessions.ts";
import { identifyCaller } from "../callers/caller.ts";
import { readBody } from "../reading/read-body.ts";
import { readApiKey } from "../reading/request-headers.ts";
import { whenSent } from "../responding/when-sent.ts";
import type { HttpContext } from "../routing/env.ts";
import { cancelCall, findCancelled, watchCancellation } from "./mcp-cancellation.ts";
import type { McpExchange } from "./mcp-exchange.ts";
import { checkMcpOrigin } from "./mcp-origin.ts";
import { askClient, canBeAsked, findAnswer, keepAnswer, markClientId, withoutMark } from "./mcp-questions.ts";

/** Maximum size of a message, of which a tool's Base64 is the largest part: 4 MB of bytes. */
const MAX_MESSAGE_BYTES = 6 * 1024 * 1024;

const SESSION_HEADER = "mcp-session-id";

/** `POST /mcp` (mcp, "The endpoint"). */
export async function postMcp(c: HttpContext): Promise<Response> {
  checkMcpOrigin(c);
  const { urls } = c.env.ctx;
  if (readApiKey(c) === undefined)
    throw new AppError(
      "UNAUTHENTICATED",
      `Sign in by OAuth, send an API key as a bearer token, or use ${urls.mcpUrl}/mcp/guest without one. ${urls.siteUrl}/mcp tells how.`,
    );
  return await respond(c, { call: await identifyCaller(c, "mcp", { resource: "mcp" }), session: undefined, isGuest: false });
}

/** `POST /mcp/guest`: serves clients without a key. The session then uses the key that a tool registers (mcp, "Guests"). */
export async function postGuestMcp(c: HttpContext): Promise<Response> {
  const named = await findGuestSession(c);
  const agent = named === "ended" || named?.key === undefined ? undefined : await identifyAgent(c, named);
  const session = named === "ended" || agent === "ended" ? undefined : named;
  const isGuest = agent === undefined || agent === "ended";
  const call = isGuest ? await identifyCaller(c, "mcp", { key: null, isUncounted: true, isSiteChecked: true }) : agent;
  const hasEnded = named !== undefined && session === undefined;
  return await respond(c, { call: { ...call, guestSession: session?.id }, session, hasEnded, isGuest });
}

/** `DELETE /mcp/guest`: ends the client's session. */
export async function deleteMcpSession(c: HttpContext): Promise<Response> {
  const session = await findGuestSession(c);
  if (session === "ended") throw ended();
  if (!session) throw invalidField(SESSION_HEADER, "Send the ID of the session that you want to end, in the header Mcp-Session-Id.");
  await closeMcpSession(c.env.ctx.db, session.id);
  return new Response(null, { status: 204 });
}

/** Finds the guest's session that the request names; `ended` if it has ended or is unknown; undefined if the request names none. */
async function findGuestSession(c: HttpContext): Promise<McpSession | "ended" | undefined> {
  checkMcpOrigin(c);
  c.env.rate = c.env.guestRates.consume({ actor: undefined, address: c.env.address }, 1);
  const token = c.req.header(SESSION_HEADER);
  if (token === undefined) return undefined;
  return (await findMcpSession(c.env.ctx, withoutMark(token))) ?? "ended";
}

/** Identifies the agent whose key a session has; `ended` if the key, and so the session, has ended. */
async function identifyAgent(c: HttpContext, { id, key }: McpSession): Promise<RequestContext | "ended"> {
  // Counts the request for the agent as well.
  c.env.rate = undefined;
  try {
    return await identifyCaller(c, "mcp", { resource: "mcp", key });
  } catch (error) {
    if (toAppError(error).code !== "UNAUTHENTICATED") throw error;
    await closeMcpSession(c.env.ctx.db, id);
    return "ended";
  }
}

const ended = (): AppError => new AppError("NOT_FOUND", "This MCP session has ended. Open a new one with `initialize`.");

interface Caller extends Omit<McpExchange, "message" | "openSignal" | "ask"> {
  /** Whether the request names a session that has ended. In that case only `initialize` is served, which opens another one. */
  readonly hasEnded?: boolean;
}

async function respond(c: HttpContext, { hasEnded = false, ...exchange }: Caller): Promise<Response> {
  const { call, session, isGuest } = exchange;
  using held = new DisposableStack();
  const body = held.use(await readBody(c, { caller: call, maxBytes: MAX_MESSAGE_BYTES }));
  const message = parseMessage(body.bytes);
  const opensSession = session === undefined && methodOf(message) === "initialize";
  if (hasEnded && !opensSession) throw ended();
  const token = c.req.header(SESSION_HEADER);
  const client = identifyMcpClient({ call, session, token });
  if (await passOn(c, client, message)) return new Response(null, { status: 202 });
  held.defer(c.env.streams.open(call));
  const { respondMcp } = await loadExchange();
  const openSignal = (): AbortSignal => {
    const watch = held.use(watchCancellation(c, client, message));
    return held.use(linkSignals(c.req.raw.signal, c.env.stop, watch.signal)).signal;
  };
  const ask = client !== undefined && canBeAsked(token) ? askClient(c, client) : undefined;
  const response = await respondMcp(c, { ...exchange, ask, message, openSignal });
  // Only clients of the older form of the protocol send it, and only guests need the data of a session.
  if (opensSession && response.ok) {
    const id = isGuest ? await openMcpSession(c.env.ctx, call) : newMcpClientId(c.env.ctx);
    response.headers.set(SESSION_HEADER, markClientId(id, message));
  }
  if (response.headers.get("content-type") !== "text/event-stream") return response;
  // The tool may still run when a stream begins.
  const heldUntilSent = held.move();
  return whenSent(response, () => heldUntilSent.dispose());
}

/** Loads the protocol and the schemas of the tools with the first message, because they would delay the start. */
const loadExchange = (): Promise<typeof import("./mcp-exchange.ts")> => {
  loading ??= import("./mcp-exchange.ts");
  return loading;
};
let loading: Promise<typeof import("./mcp-exchange.ts")> | undefined;

/**
 * Forwards a cancellation or an answer to the running call, on any server instance. It takes no slot, because the client's calls may occupy all.
 * Resolves to false for other messages.
 */
async function passOn(c: HttpContext, client: string | undefined, message: unknown): Promise<boolean> {
  const method = methodOf(message);
  const answer = method === undefined ? findAnswer(message) : undefined;
  const cancelled = method === "notifications/cancelled" ? findCancelled(message) : undefined;
  if (answer !== undefined) await keepAnswer(c, client, answer);
  if (cancelled !== undefined) await cancelCall(c, client, cancelled);
  return answer !== undefined || cancelled !== undefined;
}

/** Parses one message. A list of messages, which an early form of the protocol allowed, would count as one request. */
function parseMessage(bytes: Uint8Array): unknown {
  try {
    const message: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (!Array.isArray(message)) return withoutNulls(message);
  } catch {
    // Bytes that are not JSON get the error of other invalid bodies.
  }
  throw invalidField("", "The body is not valid. Send one JSON-RPC message.");
}

/** Returns a request without the nulls that some clients send for absent parameters. Nulls in a tool's arguments remain. */
function withoutNulls(message: unknown): unknown {
  if (typeof message !== "object" || message === null || !("params" in message)) return message;
  const { params, ...others } = message;
  if (params === null) return others;
  return typeof params === "object"
    ? { ...others, params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) }
    : message;
}

/** Returns the method of a message; undefined for a response. */
const methodOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null && "method" in message ? message.method : undefined;
