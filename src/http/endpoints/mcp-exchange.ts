import { createMcpHandler, isLegacyRequest, type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Ctx, RequestContext } from "../../context.ts";
import { toAppError } from "../../errors.ts";
import { solveChallenge } from "../../lib/secrets/solve-challenge.ts";
import type { AskClient } from "../../mcp/answer-calls.ts";
import { createServer, type McpEnvironment, SEND_BY_CURL } from "../../mcp/server.ts";
import type { GuestFeature } from "../../mcp/tool.ts";
import { GUEST_TOOLS, TOOLS } from "../../mcp/tools.ts";
import { requireScope } from "../../service/accounts/authenticate.ts";
import { addressSubject } from "../../service/accounts/rate-limits.ts";
import { checkRegistrations } from "../../service/accounts/register-agent.ts";
import { callOperation } from "../../service/call-operation.ts";
import { keepMcpKey, type McpSession } from "../../service/mcp/sessions.ts";
import { logFailure } from "../responding/respond-error.ts";
import type { HttpContext } from "../routing/env.ts";
import { countAs } from "../routing/operation-routes.ts";

/** One message of a client. */
export interface McpExchange {
  readonly call: RequestContext;
  readonly session: McpSession | undefined;
  /** Asks the client's person; undefined if the client does not support that in the older form. */
  readonly ask: AskClient | undefined;
  /** Whether the caller has only the tools that require no key. */
  readonly isGuest: boolean;
  readonly message: unknown;
  /** Opens the signal that aborts when the client disconnects or cancels the call, or the server shuts down. */
  openSignal(): AbortSignal;
}

/** Responds to a message by the rules of the protocol: with JSON, or with a stream of events if something precedes the result. */
export async function respondMcp(c: HttpContext, { call, session, ask, isGuest, message, openSignal }: McpExchange): Promise<Response> {
  const { ctx, hasAccessToken } = c.env;
  const accepted = readAccepted(c.req.header("accept"));
  const called = toolCall.safeParse(message).data?.params;
  if (hasAccessToken) checkScope(call, called);
  const isOlderForm = await isOfOlderForm(c.req.raw, message);
  const environment: McpEnvironment = {
    version: ctx.version,
    sending: SEND_BY_CURL,
    tools: isGuest ? GUEST_TOOLS : TOOLS,
    isOffered: ({ guestsNeed }) => !isGuest || guestsNeed === undefined || hasFeature(ctx, guestsNeed),
    toolsChange: isGuest && isOlderForm,
    requestId: c.env.requestId,
    api: {
      call: (name, fields, { idempotencyKey } = {}) =>
        callOperation(ctx, call, { name, fields, idempotencyKey, count: (count) => countAs(c, call, count) }),
      // The request's host is one of these, or an address of this machine.
      findHosts: async () => [...new Set([ctx.urls.siteUrl, ctx.urls.apiUrl, ctx.urls.mcpUrl, c.env.url].map((url) => new URL(url).host))],
    },
    solve: async (challenge, signal) => {
      await checkRegistrations(ctx, call.address);
      return await solveChallenge(challenge, { caller: addressSubject(ctx.keyring, call.address), signal });
    },
    keepKey: async (key, tellInResponse) => {
      if (session === undefined || !(await keepMcpKey(ctx, session.id, key))) return undefined;
      await tellInResponse();
      return "until 30 minutes pass without a call";
    },
    // A question requires a stream.
    ask: accepted.stream ? ask : undefined,
    keyEndpoint: session === undefined ? `${ctx.urls.mcpUrl}/mcp` : undefined,
    hasKey: session?.key !== undefined || !isGuest,
    onError: (error) => logFailure(c, error),
  };
  // A tool may wait for minutes.
  c.env.peer.setIdleTimeout(0);
  const errors: Error[] = [];
  const noteError = (error: Error): void => {
    errors.push(error);
    c.env.log.debug({ reason: withoutData(error.message) }, "mcp message refused");
  };
  const newServer = (): Server => Object.assign(createServer(environment), { onerror: noteError });
  const streamed = isStreamed(environment, called) && accepted.stream;
  const request = asRequest(c.req.raw, { accepted, signal: streamed ? openSignal() : undefined });
  const exchange = { request, message, isStreamed: streamed };
  const response = isOlderForm ? await respondToOlderForm(newServer(), exchange) : await respondToNewerForm(newServer, exchange, noteError);
  if (response.status === 500) logFailure(c, toAppError(errors.at(-1)));
  return response;
}

const toolCall = z.object({
  method: z.literal("tools/call"),
  params: z.object({
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).default({}),
    _meta: z.object({ progressToken: z.unknown().optional() }).optional(),
  }),
});

type CalledTool = z.infer<typeof toolCall>["params"];

/**
 * Refuses a tool that the application may not call, with an HTTP response, so that the client asks for a larger scope (oauth, "Scopes"). Throws
 * InsufficientScope.
 */
function checkScope({ actor }: RequestContext, called: CalledTool | undefined): void {
  const tool = called && TOOLS.find(({ description }) => description.name === called.name);
  const scope = tool?.scopeOf(called?.arguments ?? {});
  if (scope !== undefined) requireScope(actor, scope);
}

/** Returns a protocol error without the data that the client sent, which may contain secrets. */
const withoutData = (message: string): string => message.replace(/["'{[].*/s, "…").slice(0, 200);

/** Returns whether guests of this server can use a feature. */
const hasFeature = ({ config }: Pick<Ctx, "config">, feature: GuestFeature): boolean =>
  (feature === "payments" ? config.payments : config.upgradeUrl) !== undefined;

/** Reads the types that a client accepts: JSON also by a wildcard or without a header, and a stream only by its name (mcp, "Responses"). */
function readAccepted(accept: string | undefined): { readonly json: boolean; readonly stream: boolean } {
  const types = (accept?.trim() || "*/*")
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)))
    .map(([type]) => type);
  const json = ["application/json", "application/*", "*/*"].some((type) => types.includes(type));
  return { json, stream: types.includes("text/event-stream") };
}

interface SentRequest {
  readonly accepted: ReturnType<typeof readAccepted>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Builds the request, whose body has been read, for the package. The package refuses a client that does not name both types, even if the response is
 * JSON.
 */
function asRequest({ url, method, headers }: Request, { accepted, signal }: SentRequest): Request {
  const sent = new Headers(headers);
  if (accepted.json) sent.set("Accept", "application/json, text/event-stream");
  return new Request(url, { method, headers: sent, ...(signal && { signal }) });
}

/** Returns whether the response is a stream from its beginning, so that it can contain progress and keep-alive comments. */
function isStreamed({ tools, ask }: McpEnvironment, called: CalledTool | undefined): boolean {
  if (called === undefined) return false;
  const { name, _meta } = called;
  return (
    _meta?.progressToken !== undefined ||
    tools.some(({ description, mayTakeLong, mayAsk }) => (mayTakeLong || (mayAsk && ask !== undefined)) && description.name === name)
  );
}

interface Exchange {
  readonly request: Request;
  readonly message: unknown;
  readonly isStreamed: boolean;
}

const NEWER_VERSION = "2026-07-28";

/**
 * Returns whether a message has the older form of the protocol. The header decides for most clients of the newer form, which saves the classification
 * of the message.
 */
const isOfOlderForm = async (request: Request, message: unknown): Promise<boolean> =>
  request.headers.get("mcp-protocol-version") !== NEWER_VERSION && (await isLegacyRequest(request, message));

async function respondToNewerForm(
  newServer: () => Server,
  { request, message, isStreamed }: Exchange,
  onerror: (error: Error) => void,
): Promise<Response> {
  const handler = createMcpHandler(newServer, { legacy: "reject", responseMode: isStreamed ? "sse" : "auto", onerror });
  return await handler.fetch(request, { parsedBody: message });
}

/** Responds to the older form directly, because the package's handler would begin a stream for every message, which takes twice the time of JSON. */
async function respondToOlderForm(server: Server, { request, message, isStreamed }: Exchange): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !isStreamed });
  await server.connect(transport);
  if (isStreamed) {
    const { signal } = request;
    signal.addEventListener("abort", () => void transport.close().catch(() => undefined), { once: true });
    if (signal.aborted) await transport.close();
  }
  return await transport.handleRequest(request, { parsedBody: message });
}
