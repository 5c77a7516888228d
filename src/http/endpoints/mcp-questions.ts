import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { AskClient } from "../../mcp/answer-calls.ts";
import { hasForms } from "../../mcp/forms.ts";
import { answerMcpQuestion, closeMcpQuestion, findMcpAnswer, openMcpQuestion, QUESTION_MS } from "../../service/mcp/questions.ts";
import type { HttpContext } from "../routing/env.ts";

const POLL_MS = 500;
const CANCELLED = { action: "cancel" } as const;

const action = z.enum(["accept", "decline", "cancel"]);
const result = z.object({ action, content: z.record(z.string().max(64), z.string().max(64)).optional() });
const answer = z.object({ id: z.string().startsWith("ask-").max(100), result: result.catch(CANCELLED).optional() });
const initialize = z.object({
  method: z.literal("initialize"),
  params: z.object({ capabilities: z.object({ elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial() }) }),
});

/** The suffix in the ID of a client whose person can be asked. The older form of the protocol declares it once, and the server does not store it. */
const ASKS = ".asks";

/** Returns the ID for a client, with the suffix if its first message permits questions. */
export const markClientId = (id: string, message: unknown): string =>
  hasForms(initialize.safeParse(message).data?.params.capabilities.elicitation) ? id + ASKS : id;

/** Returns the ID without its suffix. */
export const withoutMark = (id: string): string => (id.endsWith(ASKS) ? id.slice(0, -ASKS.length) : id);

export const canBeAsked = (id: string | undefined): boolean => id?.endsWith(ASKS) === true;

export interface ClientAnswer {
  readonly id: string;
  readonly answer: z.infer<typeof result>;
}

/** Returns the answer in a response; undefined if it is another response. An error counts as a cancellation. */
export function findAnswer(message: unknown): ClientAnswer | undefined {
  const { data } = answer.safeParse(message);
  return data && { id: data.id, answer: data.result ?? CANCELLED };
}

/** Stores an answer for the waiting call, on any server instance. */
export async function keepAnswer(c: HttpContext, client: string | undefined, { id, answer }: ClientAnswer): Promise<void> {
  if (client !== undefined) await answerMcpQuestion(c.env.ctx, { id, client }, JSON.stringify(answer));
}

/** Asks a client's person while a call waits. No answer within ten minutes counts as a cancellation. */
export const askClient =
  ({ env: { ctx } }: HttpContext, client: string): AskClient =>
  async ({ send, signal }) => {
    const question = await openMcpQuestion(ctx, client);
    try {
      await send(question.id);
      for (const endMs = performance.now() + QUESTION_MS; performance.now() < endMs; ) {
        await pause(POLL_MS, undefined, { signal });
        const answer = await findMcpAnswer(ctx, question);
        if (answer !== undefined) return JSON.parse(answer);
      }
      return CANCELLED;
    } finally {
      await closeMcpQuestion(ctx, question);
    }
  };
