import { createMcpHandler, isLegacyRequest, type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { RequestContext } from "../context.ts";
import { toAppError } from "../errors.ts";
import { solveChallenge } from "../lib/solve-challenge.ts";
import type { AskClient } from "../mcp/answer-calls.ts";
import { createServer, type McpEnvironment, SEND_BY_CURL } from "../mcp/server.ts";
import { GUEST_TOOLS, TOOLS } from "../mcp/tools.ts";
import { requireScope } from "../service/accounts/authenticate.ts";
import { addressSubject } from "../service/accounts/rate-limits.ts";
import { checkRegistrations } from "../service/accounts/register-agent.ts";
import { callOperation } from "../service/call-operation.ts";
import { keepMcpKey, type McpSession } from "../service/mcp/sessions.ts";
import type { HttpContext } from "./env.ts";
import { countAs } from "./operation-routes.ts";
import { logFailure } from "./respond-error.ts";

/** One message of a client. */
export interface McpExchange {
  readonly call: RequestContext;
  readonly session: McpSession | undefined;
  /** Asks the client's person, if the client can do that in the older form. */
  readonly ask: AskClient | undefined;
  /** Whether the caller has only the tools that need no key. */
  readonly isGuest: boolean;
  readonly message: unknown;
  /** Opens the signal that aborts when the client is gone or has cancelled the call, or the server stops. */
  openSignal(): AbortSignal;
}

/** Responds to a message as the protocol says: with JSON, or with a stream of events if something precedes the result. */
export async function respondMcp(c: HttpContext, { call, session, ask, isGuest, message, openSignal }: McpExchange): Promise<Response> {
  const { ctx, hasAccessToken } = c.env;
  const called = toolCall.safeParse(message).data?.params;
  if (hasAccessToken) checkScope(call, called);
  const isOlderForm = await isOfOlderForm(c.req.raw, message);
  const environment: McpEnvironment = {
    version: ctx.version,
    sending: SEND_BY_CURL,
    tools: isGuest ? GUEST_TOOLS : TOOLS,
    toolsChange: isGuest && isOlderForm,
    requestId: c.env.requestId,
    api: {
      call: (name, fields, { idempotencyKey } = {}) =>
        callOperation(ctx, call, { name, fields, idempotencyKey, count: (count) => countAs(c, call, count) }),
      // The request's is one of them, or an address of this machine.
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
    ask,
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
  const streamed = isStreamed(environment, called);
  const request = streamed ? withSignal(c.req.raw, openSignal()) : c.req.raw;
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
 * Refuses the tool of an application that may not call it, as a response of HTTP: its client then asks for a larger scope (oauth, "Scopes").
 * Throws InsufficientScope.
 */
function checkScope({ actor }: RequestContext, called: CalledTool | undefined): void {
  const tool = called && TOOLS.find(({ description }) => description.name === called.name);
  const scope = tool?.scopeOf(called?.arguments ?? {});
  if (scope !== undefined) requireScope(actor, scope);
}

/** What the protocol reports of a client's mistake, without what the client sent: that may have secrets. */
const withoutData = (message: string): string => message.replace(/["'{[].*/s, "…").slice(0, 200);

/** The request, whose body has been read, with a signal. */
const withSignal = ({ url, method, headers }: Request, signal: AbortSignal): Request => new Request(url, { method, headers, signal });

/** Whether the response is a stream from its beginning: then it can have progress, and comments that keep its connection. */
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

/** The header decides for most clients of the newer form, which saves them the classification of the message. */
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

/** The package's handler of the older form would begin a stream for every message, which takes twice the time of JSON. */
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
