import type { LoadedConfig } from "../../config/load.ts";
import { REPORT_REASONS } from "../../contract/scalars.ts";
import { AppError } from "../../errors.ts";
import type { Terminal } from "../command.ts";
import { UsageError } from "../failure.ts";
import { toPlain } from "../terminal/text.ts";

/** The option that confirms irreversible actions of an administrator (command line, "What cannot be undone"). */
export const IRREVERSIBLE_OPTIONS = { yes: { kind: "flag", help: "Do not ask; required where nobody can be asked" } } as const;

interface Irreversible {
  /** The name of the command. */
  readonly command: string;
  readonly options: { readonly yes: boolean };
  readonly terminal: Pick<Terminal, "canAsk" | "confirm">;
}

/** Asks before an irreversible action, unless `--yes`. Throws UsageError if nobody can be asked, and CONFLICT if the answer is no. */
export async function confirmIrreversible({ command, options, terminal }: Irreversible, question: string): Promise<void> {
  if (options.yes) return;
  if (!terminal.canAsk)
    throw new UsageError("This cannot be undone, and nobody can be asked here. Pass --yes to do it.", `filehost ${command} --help`);
  if (!(await terminal.confirm(toPlain(question)))) throw new AppError("CONFLICT", "Nothing was changed.");
}

/** The options of takedown commands. A takedown can be undone, unless blocked bytes are not kept. */
export const TAKEDOWN_OPTIONS = {
  yes: { kind: "flag", help: "Do not ask; required where nobody can be asked and FILEHOST_QUARANTINE_DAYS is 0" },
  "public-reason": { kind: "text", value: "REASON", choices: REPORT_REASONS, help: "The reason that the pages of the links give" },
} as const;

/** Asks before a takedown that cannot be undone. Throws like `confirmIrreversible`. */
export async function confirmTakedown(asking: Irreversible, { config }: Pick<LoadedConfig, "config">): Promise<void> {
  if (config.quarantineDays === 0)
    await confirmIrreversible(asking, "Take it down and remove the bytes? FILEHOST_QUARANTINE_DAYS is 0, so this cannot be undone.");
}
