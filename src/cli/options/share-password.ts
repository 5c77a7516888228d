import { readSmallFile } from "../../client/records/read-small-file.ts";
import { AppError } from "../../errors.ts";
import type { Options, Terminal } from "../command.ts";

/** The options that protect a share with a password, which is not passed in the command line, because other users of the machine can see that. */
export const SHARE_PASSWORD_OPTIONS = {
  password: {
    kind: "flag",
    help: "Protect the share with a password of your own: you are asked for it, or set FILEHOST_SHARE_PASSWORD",
  },
  "password-file": { kind: "text", value: "FILE", help: "Protect the share with the password in the first line of this file" },
} as const satisfies Options;

export interface SharePasswordValues {
  readonly password: boolean;
  readonly "password-file": string | undefined;
}

/** Reads the password of the options as a field; none if they request none. Asks twice. Throws VALIDATION_FAILED if nobody can be asked. */
export async function readSharePassword(
  { password, "password-file": path }: SharePasswordValues,
  { env, canAsk, askSecret, err }: Pick<Terminal, "env" | "canAsk" | "askSecret" | "err">,
): Promise<{ readonly password?: string }> {
  if (path !== undefined) return { password: (await readSmallFile(path)).split(/\r?\n/)[0] ?? "" };
  if (!password) return {};
  if (env.FILEHOST_SHARE_PASSWORD) return { password: env.FILEHOST_SHARE_PASSWORD };
  if (!canAsk)
    throw new AppError(
      "VALIDATION_FAILED",
      "Nobody can be asked for the password here. Set FILEHOST_SHARE_PASSWORD, or use --password-file.",
    );
  for (;;) {
    const entered = await askSecret("Password of the share: ");
    if ((await askSecret("The same again: ")) === entered) return { password: entered };
    await err("They differ. Enter it again.\n");
  }
}
