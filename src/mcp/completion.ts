import type { Server } from "@modelcontextprotocol/server";
import { completePrompt } from "./prompts.ts";
import { completeShareId, type HandlerEnvironment, TEMPLATE } from "./resources.ts";

/** Completes arguments of prompts, and the short IDs of the caller's shares (mcp, "Prompts"). */
export function addCompletion(server: Server, environment: HandlerEnvironment): void {
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }) => {
    if (ref.type === "ref/prompt") return toResult(completePrompt(ref.name, argument));
    if (ref.uri !== TEMPLATE.uriTemplate) return toResult([]);
    return toResult(await completeShareId(environment, argument.value));
  });
}

const toResult = (values: string[]) => ({ completion: { values, total: values.length, hasMore: false } });
