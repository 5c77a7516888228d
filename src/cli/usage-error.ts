/** A command line that cannot be understood; `help` is the command that explains it. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(
    message: string,
    readonly help: string,
  ) {
    super(message);
  }
}
