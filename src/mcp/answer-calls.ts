import type { InputRequest, ServerContext } from "@modelcontextprotocol/server";
import { InputNeeded } from "./client-input.ts";

/** Asks the person at a client by a separate message, which `send` sends with the ID. Resolves to the unchecked answer. */
export type AskClient = (question: { send(id: string): Promise<void>; readonly signal: AbortSignal }) => Promise<unknown>;

export interface Asking {
  readonly ask: AskClient | undefined;
  send(request: InputRequest & { readonly id: string }): Promise<void>;
}

/** Runs a call, asks its questions while it waits, and runs it again with the answers. Without `ask`, the client does both. */
export async function withAnswers<Result>(
  context: ServerContext,
  { ask, send }: Asking,
  work: (context: ServerContext) => Promise<Result>,
): Promise<Result> {
  for (let answered = context; ; ) {
    try {
      return await work(answered);
    } catch (thrown) {
      if (ask === undefined || !(thrown instanceof InputNeeded)) throw thrown;
      const { inputRequests = {}, requestState } = thrown.result;
      const inputResponses: Record<string, unknown> = {};
      for (const [key, request] of Object.entries(inputRequests))
        inputResponses[key] = await ask({ send: (id) => send({ ...request, id }), signal: context.mcpReq.signal });
      const accessor = (() => requestState) as ServerContext["mcpReq"]["requestState"];
      answered = { ...context, mcpReq: { ...context.mcpReq, inputResponses, requestState: accessor } };
    }
  }
}
