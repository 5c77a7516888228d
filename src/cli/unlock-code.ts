import type { Terminal } from "./command.ts";
import { readToken } from "./token.ts";

/** The option with which commands take the unlock code of a protected share. */
export const CODE_OPTION = {
  kind: "text",
  value: "CODE",
  help: "The unlock code; - asks for it, or reads it from standard input, which others cannot see. Default: FILEHOST_UNLOCK_CODE",
} as const;

/** The unlock code of the option, or of FILEHOST_UNLOCK_CODE. Throws VALIDATION_FAILED for standard input without one. */
export async function readCode(
  terminal: Pick<Terminal, "env" | "input" | "isInputTerminal" | "canAsk" | "ask">,
  option: string | undefined,
): Promise<string | undefined> {
  if (option === "-" && terminal.isInputTerminal && terminal.canAsk) return await terminal.ask("Unlock code: ");
  return (await readToken(terminal, option, "unlock code")) ?? (terminal.env.FILEHOST_UNLOCK_CODE || undefined);
}
