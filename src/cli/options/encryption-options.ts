import { readSmallFile } from "../../client/records/read-small-file.ts";
import type { EncryptionTarget } from "../../client/upload-share/encryption.ts";
import { AppError } from "../../errors.ts";
import type { Options, Terminal } from "../command.ts";
import { UsageError } from "../failure.ts";

const HELP = "filehost up --help";

/** The options of a command that encrypts. */
export const ENCRYPT_OPTIONS = {
  encrypt: { kind: "flag", help: "Encrypt before sending; the key is only in the printed link" },
  recipient: {
    kind: "text",
    value: "KEY",
    many: true,
    help: "Encrypt for this age key (age1…), or for those in this file; repeat it for more",
  },
  passphrase: { kind: "flag", help: "Encrypt with a passphrase: you are asked for it, or set FILEHOST_PASSPHRASE" },
  "passphrase-file": { kind: "text", value: "FILE", help: "Encrypt with the passphrase in the first line of this file" },
  "encrypt-name": { kind: "flag", help: "Encrypt the names of files too" },
} as const satisfies Options;

export interface EncryptionValues {
  readonly encrypt: boolean;
  readonly recipient: readonly string[];
  readonly passphrase: boolean;
  readonly "passphrase-file": string | undefined;
  readonly "encrypt-name": boolean;
}

/** Whether the options request encryption. Throws UsageError for options that exclude each other. */
export function wantsEncryption(options: EncryptionValues): boolean {
  const ways = [options.recipient.length > 0, options.passphrase, options["passphrase-file"] !== undefined].filter(Boolean);
  if (ways.length > 1) throw new UsageError("A file is encrypted for recipients or with one passphrase. Choose one of them.", HELP);
  return options.encrypt || ways.length > 0 || options["encrypt-name"];
}

/** Reads who can decrypt. `fragment` belongs to the link of the share that gets the files. Throws VALIDATION_FAILED, and the file system's error. */
export async function readEncryptionTarget(
  options: EncryptionValues,
  terminal: Pick<Terminal, "env" | "canAsk" | "askSecret" | "err">,
  fragment: string | undefined,
): Promise<EncryptionTarget> {
  if (options.recipient.length > 0) return { kind: "recipients", recipients: await readRecipients(options.recipient) };
  const passphrase = await readPassphrase(options, terminal, { isNew: true });
  return passphrase === undefined ? { kind: "link", fragment } : { kind: "passphrase", passphrase };
}

/** Reads the keys in the options and in files. A file has one key per line, and comments after `#`. */
async function readRecipients(values: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    values.map(async (value) => {
      if (/^age1[0-9a-z]+$/i.test(value)) return [value];
      const lines = (await readSmallFile(value)).split("\n").map((line) => line.replace(/#.*$/, "").trim());
      const keys = lines.filter((line) => line !== "");
      if (keys.length === 0) throw new AppError("VALIDATION_FAILED", `There is no key in ${value}. Write one in each line: age1…`);
      return keys;
    }),
  );
  return [...new Set(lists.flat())];
}

/** Reads the passphrase of the options; undefined if they request none. Asks twice for a new one. */
export async function readPassphrase(
  { passphrase, "passphrase-file": path }: Pick<EncryptionValues, "passphrase" | "passphrase-file">,
  { env, canAsk, askSecret, err }: Pick<Terminal, "env" | "canAsk" | "askSecret" | "err">,
  { isNew }: { readonly isNew: boolean },
): Promise<string | undefined> {
  if (path !== undefined) return required((await readSmallFile(path)).split(/\r?\n/)[0] ?? "");
  if (!passphrase) return undefined;
  if (env.FILEHOST_PASSPHRASE) return env.FILEHOST_PASSPHRASE;
  if (!canAsk)
    throw new AppError(
      "VALIDATION_FAILED",
      "Nobody can be asked for the passphrase here. Set FILEHOST_PASSPHRASE, or use --passphrase-file.",
    );
  for (;;) {
    const entered = required(await askSecret("Passphrase: "));
    if (!isNew || (await askSecret("The same again: ")) === entered) return entered;
    await err("They differ. Enter it again.\n");
  }
}

function required(passphrase: string): string {
  if (passphrase === "") throw new AppError("VALIDATION_FAILED", "The passphrase is empty.");
  return passphrase;
}
