import type { Ctx } from "../../context.ts";
import { newSecret } from "../../lib/secrets/ids.ts";
import { MINUTE_MS } from "../../lib/text/duration.ts";

/** Time for which a question waits for its answer (mcp, "Unlock codes"). */
export const QUESTION_MS = 10 * MINUTE_MS;

export interface McpQuestion {
  /** The ID of the message with the question. */
  readonly id: string;
  /** The client, in the form that `identifyMcpClient` returns. */
  readonly client: string;
}

/** Opens a question to a client. */
export async function openMcpQuestion({ db, now, random }: Ctx, client: string): Promise<McpQuestion> {
  const id = newSecret(random, "ask-");
  await db.insertInto("mcp_questions").values({ id, client_hash: client, answer: null, asked_at: now() }).execute();
  return { id, client };
}

/** Stores the first answer to an open question, encrypted. Ignores further answers. */
export async function answerMcpQuestion(
  { db, keyring }: Pick<Ctx, "db" | "keyring">,
  { id, client }: McpQuestion,
  answer: string,
): Promise<void> {
  await db
    .updateTable("mcp_questions")
    .set({ answer: keyring.encrypt(answer) })
    .where("id", "=", id)
    .where("client_hash", "=", client)
    .where("answer", "is", null)
    .execute();
}

/** Finds the answer to a question; undefined until it has arrived. */
export async function findMcpAnswer({ db, keyring }: Pick<Ctx, "db" | "keyring">, { id }: McpQuestion): Promise<string | undefined> {
  const row = await db.selectFrom("mcp_questions").select("answer").where("id", "=", id).executeTakeFirst();
  return row?.answer == null ? undefined : keyring.decrypt(row.answer);
}

/** Deletes a question and its answer. */
export async function closeMcpQuestion({ db }: Pick<Ctx, "db">, { id }: McpQuestion): Promise<void> {
  await db.deleteFrom("mcp_questions").where("id", "=", id).execute();
}

/** Deletes the questions of server instances that were killed while they waited. */
export async function deleteOldMcpQuestions({ db, now }: Pick<Ctx, "db" | "now">): Promise<void> {
  await db
    .deleteFrom("mcp_questions")
    .where("asked_at", "<=", now() - 2 * QUESTION_MS)
    .execute();
}
