import type { Terminal } from "../command.ts";
import { toPlain } from "./text.ts";

/** Creates a function that prints the reason of each wait on standard error, once. It receives the reason, or an empty text when the wait ends. */
export function createWaitLine({ err }: Pick<Terminal, "err">, { isSilent = false } = {}): (reason: string) => void {
  let isWaiting = false;
  return (reason) => {
    if (reason !== "" && !isWaiting && !isSilent) void err(`${toPlain(reason)} Trying again.\n`);
    isWaiting = reason !== "";
  };
}
