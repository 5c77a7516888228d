import type { Terminal } from "./command.ts";

/** The token of an option. `-` reads it from standard input, since the command lines of processes are visible to the users of a machine. */
export async function readToken({ input }: Pick<Terminal, "input">, option: string | undefined): Promise<string | undefined> {
  if (option !== "-") return option;
  const chunks = await Array.fromAsync(input());
  return Buffer.concat(chunks).toString("utf8").trim();
}
