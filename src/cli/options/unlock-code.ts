import type { Terminal } from "../command.ts";
import type { CommandClient } from "./client-options.ts";
import { readToken } from "./token.ts";

/** The option for the unlock code or the password of a protected share. */
export const CODE_OPTION = {
  kind: "text",
  value: "CODE",
  help: "The unlock code or the password; - asks for it, or reads it from standard input, which others cannot see. Default: FILEHOST_UNLOCK_CODE",
} as const;

/**
 * Reads the unlock code of the option, or of FILEHOST_UNLOCK_CODE, which is not sent to the server of a link if the user has named another server.
 * Throws VALIDATION_FAILED for standard input without a code.
 */
export async function readCode(
  terminal: Pick<Terminal, "env" | "err" | "input" | "isInputTerminal" | "canAsk" | "askSecret">,
  option: string | undefined,
  { namedBy }: Pick<CommandClient, "namedBy">,
): Promise<string | undefined> {
  if (option === "-" && terminal.isInputTerminal && terminal.canAsk) return await terminal.askSecret("Unlock code or password: ");
  const code = (await readToken(terminal, option, "unlock code")) ?? terminal.env.FILEHOST_UNLOCK_CODE;
  if (option !== undefined || !code || namedBy !== "link") return code || undefined;
  await terminal.err(
    "FILEHOST_UNLOCK_CODE is not sent: the link is of another server than yours. Pass its code with --code -, or name its server with --url.\n",
  );
  return undefined;
}
