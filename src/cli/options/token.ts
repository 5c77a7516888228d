import { AppError } from "../../errors.ts";
import type { Terminal } from "../command.ts";

const MAX_BYTES = 10_000;

/** Reads the secret of an option. `-` reads standard input, because the command lines of processes are visible to the users of a machine. */
export async function readToken(
  { input }: Pick<Terminal, "input">,
  option: string | undefined,
  what: "token" | "unlock code" | "purchase token" = "token",
): Promise<string | undefined> {
  if (option !== "-") return option;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BYTES) throw new AppError("VALIDATION_FAILED", `Standard input has more than the ${what}. Pass the ${what} alone.`);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  // What opens a share may be a password, in which spaces count.
  const token = what === "unlock code" ? text.replace(/\r?\n$/, "") : text.trim();
  if (token === "") throw new AppError("VALIDATION_FAILED", `Standard input is empty. It must have the ${what}.`);
  return token;
}
