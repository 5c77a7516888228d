import { toFileName } from "../../lib/text/file-name.ts";
import { UsageError } from "../failure.ts";

interface GivenName {
  readonly command: string;
  /** The name of the option, without its dashes. */
  readonly option: string;
  readonly name: string | null | undefined;
}

/** Throws UsageError for a name of a file that the server would change, such as a path. */
export function checkFileName({ command, option, name }: GivenName): void {
  if (name == null || toFileName(name) === name.trim()) return;
  throw new UsageError(
    `--${option}: write the name of a file: at most 255 bytes, without /, \\ and control characters.`,
    `filehost ${command} --help`,
  );
}
