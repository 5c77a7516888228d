import { type Advice, wordAdvice } from "../../client/client-error.ts";
import type { AppError } from "../../errors.ts";

/** Words the advice of a client's errors that tools meet. The person can run commands; agents cannot pass options. */
function word(advice: Advice): string | undefined {
  if (advice.kind === "signIn")
    return `Sign in: filehost login ${advice.server}${advice.profile === undefined ? "" : ` --profile ${advice.profile}`}`;
  if (advice.kind === "unlockKeyring") return "Unlock it, or run: filehost login --no-keyring";
  return undefined;
}

/** Returns an error of the client with advice for an agent; other errors unchanged. */
export const wordForAgent = (error: AppError): AppError => wordAdvice(error, word);
