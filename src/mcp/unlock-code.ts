import { type InputRequiredResult, inputRequired, inputResponse, type Server, type ServerContext } from "@modelcontextprotocol/server";
import { SHARE_PASSWORD } from "../contract/unlock-code.ts";
import { AppError } from "../errors.ts";
import { capabilitiesOf, InputNeeded } from "./client-input.ts";
import { hasForms } from "./forms.ts";

/** The number of times that a person is asked for the code of one call (mcp, "Unlock codes"). */
const MAX_QUESTIONS = 3;
const KEY = "unlockCode";

export interface LockedSubject {
  readonly what: string;
  /** The name that the sender gave. */
  readonly name?: string;
}

export interface LockedWork<Result> {
  /** The code in the call. */
  readonly sent: string | undefined;
  /** Describes the share that the code opens, for the person who is asked. */
  subject(): Promise<LockedSubject>;
  run(unlockCode: string | undefined): Promise<Result>;
}

export type WithUnlockCode = <Result>(work: LockedWork<Result>) => Promise<Result>;

/**
 * Runs work that may need an unlock code. Throws InputNeeded if the code is missing or wrong, and the client can ask its person. `isAsked`: the
 * server asks, as `withAnswers` does.
 */
export const withUnlockCode =
  (server: Server, { mcpReq }: ServerContext, isAsked: boolean): WithUnlockCode =>
  async ({ sent, subject, run }) => {
    const answer = inputResponse(mcpReq.inputResponses, KEY);
    const isRefusedByPerson = answer.kind === "elicit" && answer.action !== "accept";
    const answered = answer.kind === "elicit" && answer.action === "accept" ? answer.content?.[KEY] : undefined;
    try {
      return await run(typeof answered === "string" ? [...answered].slice(0, SHARE_PASSWORD.maxLength).join("") : sent);
    } catch (error) {
      const asked = countQuestions(mcpReq.requestState());
      const isForCode = error instanceof AppError && (error.code === "UNLOCK_REQUIRED" || error.code === "UNLOCK_INVALID");
      if (!isForCode || isRefusedByPerson || asked >= MAX_QUESTIONS || !(isAsked || canAsk(server, mcpReq))) throw error;
      throw new InputNeeded(
        askFor(await subject(), { asked, isWrong: error.code === "UNLOCK_INVALID", isPassword: error.fields.unlockKind === "password" }),
      );
    }
  };

/** Counts the questions that a call has had. The client returns the count, so it can only change how often its own person is asked. */
function countQuestions(state: unknown): number {
  if (state === undefined) return 0;
  const asked = Number(state);
  return Number.isInteger(asked) && asked > 0 ? asked : MAX_QUESTIONS;
}

function canAsk(server: Server, mcpReq: ServerContext["mcpReq"]): boolean {
  return hasForms(capabilitiesOf(server, mcpReq).elicitation);
}

const MAX_NAME_CHARACTERS = 40;

/** Writes the name on a separate line, so that it does not look like a part of the question. */
function describeName(name: string): string {
  const characters = [
    ...name
      .replace(/[\p{C}\p{Zl}\p{Zp}"'`“”„‟«»‹›‘’‚]+/gu, " ")
      .replace(/\s+/g, " ")
      .trim(),
  ];
  const shown = characters.slice(0, MAX_NAME_CHARACTERS).join("");
  return `\n\nName given by the sender: ${shown}${characters.length > MAX_NAME_CHARACTERS ? "…" : ""}`;
}

function askFor(
  { what, name }: LockedSubject,
  { asked, isWrong, isPassword }: { readonly asked: number; readonly isWrong: boolean; readonly isPassword: boolean },
): InputRequiredResult {
  const before = isWrong ? `That ${isPassword ? "password" : "code"} is wrong. ` : "";
  const wanted = isPassword ? "password" : "unlock code";
  const field = isPassword
    ? { title: "Password", description: "As the sender wrote it" }
    : { title: "Unlock code", description: "Six letters and digits" };
  return inputRequired({
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message: `${before}Enter the ${wanted} of ${what}. The sender has it. It is sent to this filehost server only.${name === undefined ? "" : describeName(name)}`,
        requestedSchema: {
          type: "object",
          properties: {
            [KEY]: { type: "string", ...field, minLength: 1, maxLength: SHARE_PASSWORD.maxLength },
          },
          required: [KEY],
        },
      }),
    },
    requestState: String(asked + 1),
  });
}
